/// \file Executes the records on the keys.

#include "model/replay/carry_out.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model::verify {

namespace {

/// Limit if copies were also compared with a plan: takes a few milliseconds.
constexpr std::uint64_t compared_keys_max = std::uint64_t{1} << 16;
/// Limit if the model has no plan, so that this is the only check: 16 Mi keys take 0.7 GB.
constexpr std::uint64_t keys_max = std::uint64_t{1} << 24;

template <class Word>
std::vector<Word> all_images(InputKeys const& keys) {
    std::vector<Word> images(keys.key_count());
    keys.images(0, std::span<Word>(images));
    return images;
}

/// The records that determine the movement of keys. \pre the run outlives the result
RecordedMoves moves_of(RecordedRun const& run, Division division) {
    auto const config = config_of(run.header);
    KEYSWAP_EXPECTS(config.has_value());
    return {bucket_space_of(*config, run),
            run.gpu_count(),
            run.placements,
            division == Division::runs,
            run.header.layout.value_or(SwapLayout::by_bucket),
            run.ownership,
            run.copies,
            run.sort_ranges,
            run.merges};
}

} // namespace

std::optional<std::string>
carried_out(RecordedRun const& run, Division division, InputKeys const& keys) {
    RecordedMoves const moves = moves_of(run, division);
    return key_bits(run.header.key_type) <= 64 ? carry_out(moves, all_images<std::uint64_t>(keys))
                                               : carry_out(moves, all_images<uint128>(keys));
}

void verify_carried_out(RecordedRun const& run,
                        Division division,
                        InputKeys& keys,
                        Report& report) {
    bool const merges = division == Division::runs;
    bool const version_suffices =
        run.header.version > 1 || (!merges && run.header.variant != "fast");
    if (!report.holds() || !version_suffices || keys.key_count() == 0) {
        return; // errors are reported already; version 1 lacks stages and layouts
    }
    bool const compared =
        std::ranges::binary_search(report.checked, Check::copies); // with those of a plan
    if (keys.key_count() > (compared ? compared_keys_max : keys_max)) {
        if (!compared) {
            report.skip(Check::copies, "there are too many keys to carry them out");
        }
        return;
    }
    if (run.header.version > 1) {
        report.mark_checked(Check::output); // for version 1 it is only a second check
    }
    if (auto problem = carried_out(run, division, keys)) {
        report.differ(Check::output, Verdict::wrong_order)
            .expect("records that, carried out on the keys, sort them")
            .found(*problem)
            .implies("The run does something other than it records, or does not sort.");
    }
}

void verify_positions_kept(RecordedRun const& run, Division division, Report& report) {
    std::uint64_t const key_count = run.header.key_count;
    if (!report.holds() || run.header.version == 1 || key_count == 0 || key_count > keys_max) {
        return;
    }
    report.mark_checked(Check::copies);
    if (auto problem = carry_out_positions(moves_of(run, division), key_count)) {
        report.differ(Check::copies, Verdict::lost_or_duplicated_keys)
            .expect("moves that keep every key")
            .found(*problem)
            .implies("Keys are overwritten or copied twice, whatever their values.");
    }
}

} // namespace keyswap::model::verify
