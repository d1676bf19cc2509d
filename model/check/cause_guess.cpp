#include "model/check/cause_guess.hpp"

#include "model/check/cause_tests.hpp"

namespace keyswap::model {

std::string_view to_string(Cause cause) {
    switch (cause) {
    case Cause::untouched:
        return "untouched";
    case Cause::stale_block:
        return "stale-block";
    case Cause::filled_block:
        return "filled-block";
    case Cause::other_order:
        return "other-order";
    case Cause::exchanged_chunks:
        return "exchanged-chunks";
    case Cause::unmerged_chunks:
        return "unmerged-chunks";
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
        return find_other_width(files);
    }
    if (auto stretch = find_unwritten_stretch(files); !stretch || *stretch) {
        return stretch;
    }
    if (symptoms.input != symptoms.output) {
        return find_changed_keys(files);
    }
    if (symptoms.reversed) {
        return std::nullopt; // the check says so by itself
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
