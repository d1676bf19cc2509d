#include "model/check/cause_tests.hpp"

#include <array>

namespace keyswap::model {

std::string_view to_string(Cause cause) {
    constexpr std::array<std::string_view, 14> names{"untouched",
                                                     "stale-block",
                                                     "wrapped-count",
                                                     "left-out-key",
                                                     "filled-block",
                                                     "other-order",
                                                     "exchanged-chunks",
                                                     "unmerged-chunks",
                                                     "split-ties",
                                                     "doubled-keys",
                                                     "missing-keys",
                                                     "changed-bits",
                                                     "converted-keys",
                                                     "other-width"};
    static_assert(static_cast<std::size_t>(Cause::other_width) + 1 == names.size());
    return names[static_cast<std::size_t>(cause)];
}

template <class Word>
CauseFinding guess_cause(CauseFiles<Word> const& files) {
    Symptoms const& symptoms = files.symptoms;
    if (symptoms.input.count != symptoms.output.count) {
        auto width = find_other_width(files);
        return !width || *width ? width : find_missing_keys(files);
    }
    bool const permutation = symptoms.input == symptoms.output;
    if (!permutation) {
        if (auto alike = find_collapsed_floats(files); !alike || *alike) {
            return alike;
        }
    }
    if (auto stretch = find_unwritten_stretch(files); !stretch || *stretch) {
        return stretch;
    }
    if (!permutation) {
        auto changed = find_changed_keys(files);
        return !changed || *changed ? changed : find_miscounted_values(files);
    }
    if (symptoms.reversed) {
        return std::nullopt; // the check itself reports it
    }
    if (auto order = find_other_order(files); !order || *order) {
        return order;
    }
    return find_sorted_chunks(files);
}

KEYSWAP_INSTANTIATE_CAUSE_TEST(guess_cause);

} // namespace keyswap::model
