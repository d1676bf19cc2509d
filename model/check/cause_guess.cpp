#include "model/check/cause_guess.hpp"

#include "model/check/cause_tests.hpp"

namespace keyswap::model {

std::string_view to_string(Cause cause) {
    switch (cause) {
    case Cause::untouched:
        return "untouched";
    case Cause::stale_block:
        return "stale-block";
    case Cause::wrapped_count:
        return "wrapped-count";
    case Cause::left_out_key:
        return "left-out-key";
    case Cause::filled_block:
        return "filled-block";
    case Cause::other_order:
        return "other-order";
    case Cause::exchanged_chunks:
        return "exchanged-chunks";
    case Cause::unmerged_chunks:
        return "unmerged-chunks";
    case Cause::split_ties:
        return "split-ties";
    case Cause::doubled_keys:
        return "doubled-keys";
    case Cause::missing_keys:
        return "missing-keys";
    case Cause::changed_bits:
        return "changed-bits";
    case Cause::converted_keys:
        return "converted-keys";
    case Cause::other_width:
        return "other-width";
    }
    return "";
}

template <class Word>
CauseFinding guess_cause(StoredKeys const& input,
                         StoredKeys const& output,
                         ImageRule<Word> const& rule,
                         Symptoms const& symptoms,
                         unsigned thread_count) {
    CauseFiles<Word> const files{input, output, rule, symptoms, thread_count};
    if (symptoms.input.count != symptoms.output.count) {
        auto width = find_other_width(files);
        return !width || *width ? width : find_missing_keys(files);
    }
    bool const permutation = symptoms.input == symptoms.output;
    if (!permutation) {
        if (auto alike = find_keys_made_alike(files); !alike || *alike) {
            return alike;
        }
    }
    if (auto stretch = find_unwritten_stretch(files); !stretch || *stretch) {
        return stretch;
    }
    if (!permutation) {
        auto changed = find_changed_keys(files);
        return !changed || *changed ? changed : find_counted_values(files);
    }
    if (symptoms.reversed) {
        return std::nullopt; // the check itself reports it
    }
    if (auto order = find_other_order(files); !order || *order) {
        return order;
    }
    return find_sorted_chunks(files);
}

template CauseFinding guess_cause(StoredKeys const&,
                                  StoredKeys const&,
                                  ImageRule<std::uint32_t> const&,
                                  Symptoms const&,
                                  unsigned);
template CauseFinding guess_cause(StoredKeys const&,
                                  StoredKeys const&,
                                  ImageRule<std::uint64_t> const&,
                                  Symptoms const&,
                                  unsigned);
template CauseFinding guess_cause(
    StoredKeys const&, StoredKeys const&, ImageRule<uint128> const&, Symptoms const&, unsigned);

} // namespace keyswap::model
