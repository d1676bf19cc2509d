/// \file Compares host-side decisions of the kernels (ownership, copies, sort ranges, rounds) with
/// the model's, for every variant. The planners share no code: only the placement of buckets is
/// given to both here; on a GPU the kernels compute it, too.

#include "kernels/exchange_plan/pair_swap.hpp"
#include "kernels/exchange_plan/round_plan.hpp"
#include "kernels/exchange_plan/swap_plan.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "proptests/properties/kernels_buckets.hpp"
#include "proptests/properties/reference_run.hpp"

#include "model/buckets/parts_per_million.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

/// ceil(C * fuse / 1e6): groups must be smaller.
std::uint64_t fuse_below(model::Plan const& plan) {
    std::uint64_t const floor = model::parts_per_million(plan.chunks.size(), plan.config.fuse_ppm);
    std::uint64_t const product = plan.chunks.size() * plan.config.fuse_ppm;
    return product % 1'000'000 == 0 ? floor : floor + 1;
}

/// Variant `fast` with one copy per pair of GPUs: used for chunks in device memory if a single pass
/// does not place every bucket.
constexpr char const* fast_by_pairs = "fast_by_pairs";

/// True if `fast` swaps in rounds: a single pass of at most 8-bit digits places everything.
bool swaps_in_rounds(model::Plan const& plan) {
    return plan.passes.size() == 1 && plan.config.digit_bits <= 8;
}

void declare(RecordedRun& run, SwapLayout layout) {
    if (run.header.version > 1) {
        run.header.layout = layout;
    }
}

/// The kernels' decisions after the placement, in the form in which they record them.
RecordedRun
recorded_by_kernels(RecordedRun run, model::Plan const& plan, std::string const& variant) {
    auto const buckets = kernels_buckets(plan);
    kernels::PlacementRule const rule{
        std::max<std::uint64_t>(1, plan.chunks.size()), plan.tolerance, plan.config.gpu_count};
    bool const by_pairs = variant == fast_by_pairs;
    run.header.variant = by_pairs ? "fast" : variant;
    if (run.header.variant == "fast") {
        run.header.version = 2;
    }
    declare(run, SwapLayout::by_bucket);
    run.ownership = kernels::ownership_of(buckets, rule, plan.config.key_count);
    auto const owned = kernels::owned_buckets(buckets, run.ownership);
    run.copies.clear();
    run.sort_ranges.clear();
    if (variant == "fast" && swaps_in_rounds(plan)) {
        declare(run, SwapLayout::by_round);
        std::vector<std::uint64_t> chunk_counts;
        for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
            chunk_counts.push_back(plan.chunks.of(GpuId{gpu}).size());
        }
        constexpr int rounds[] = {1, 2, 3, 3, 3, 4};
        auto const plan_of_rounds = kernels::make_round_plan(
            buckets, run.ownership, chunk_counts, plan.chunks.size() + 2 * plan.tolerance, rounds);
        run.copies = plan_of_rounds.copies;
        for (kernels::OwnedBucket const& piece : owned) {
            run.sort_ranges.push_back(
                {piece.gpu, piece.offset, piece.count, 0, piece.images.end_bit()});
        }
        return run;
    }
    run.copies = kernels::bucket_copies(buckets, run.ownership);
    run.sort_ranges = kernels::sort_ranges(owned, fuse_below(plan));
    if (by_pairs && !plan.passes.empty() && !swaps_in_rounds(plan)) {
        declare(run, SwapLayout::by_source);
        run.copies = kernels::pair_copies(run.copies, plan.config.gpu_count);
        run.sort_ranges = kernels::whole_ranges(owned);
    } else if (variant != "paper") {
        run.copies = kernels::rotated_copies(std::move(run.copies), plan.config.gpu_count);
    }
    // A GPU without keys of a bucket does not build its histogram.
    std::erase_if(run.histograms, [](HistogramRecord const& row) {
        return std::ranges::all_of(row.counts, [](std::uint64_t count) { return count == 0; });
    });
    return run;
}

/// A run as recorded by the kernels, and its plan.
struct KernelsRun {
    RecordedRun run;
    model::Plan plan;
};

KernelsRun kernels_run(RunHeader const& header, std::string const& variant) {
    auto const reference = record_reference(header);
    RC_ASSERT(reference.has_value());
    auto const input = model::verify::find_input(header);
    RC_ASSERT(input.has_value());
    model::Plan plan = model::verify::plan_as_recorded(
                           *model::verify::config_of(header), input->input->source(), *reference)
                           .value();
    return {recorded_by_kernels(*reference, plan, variant), std::move(plan)};
}

class KernelsPlan : public testing::TestWithParam<std::string> {};

TEST_P(KernelsPlan, AgreesWithTheModel) {
    EXPECT_TRUE(rc::check("variant " + GetParam(), [] {
        KernelsRun const recorded = kernels_run(*any_run_header(500), GetParam());
        assert_holds(recorded.run);
    }));
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         KernelsPlan,
                         testing::Values("paper", "rotated", "fast", fast_by_pairs),
                         [](auto const& variant) { return variant.param; });

enum class CopyChange {
    more_keys,
    later_destination,
    other_destination,
    left_out,
    other_stage,
    later_source
};
constexpr std::array changes_of_known_layout{CopyChange::more_keys,
                                             CopyChange::later_destination,
                                             CopyChange::other_destination,
                                             CopyChange::left_out,
                                             CopyChange::other_stage,
                                             CopyChange::later_source};
/// Chunks may be at any offset in their source's memory, so a later source offset is not a fault if
/// it is the only copy.
constexpr auto changes_of_fast_layout = std::span(changes_of_known_layout).first<4>();

void change_copy(RecordedRun& run, std::size_t which, CopyChange change) {
    CopyRecord& copy = run.copies[which];
    switch (change) {
    case CopyChange::more_keys:
        copy.count += 1;
        break;
    case CopyChange::later_destination:
        copy.destination_offset += 1;
        break;
    case CopyChange::other_destination:
        copy.destination.value = (copy.destination.value + 1) % run.gpu_count();
        break;
    case CopyChange::left_out:
        run.copies.erase(run.copies.begin() + static_cast<std::ptrdiff_t>(which));
        break;
    case CopyChange::other_stage:
        copy.stage += 1;
        break;
    case CopyChange::later_source:
        copy.source_offset += 1;
        break;
    }
}

/// Applies one of the changes to one of the copies and expects the checker to find it.
void expect_changed_copy_is_found(RecordedRun run, std::span<CopyChange const> changes) {
    auto const which = *rc::gen::inRange<std::size_t>(0, run.copies.size());
    change_copy(run, which, changes[*rc::gen::inRange<std::size_t>(0, changes.size())]);
    assert_differs(run);
}

/// Checks the layout of variant `fast`, whose offsets differ from the model's.
TEST(FastLayout, AChangedCopyIsFound) {
    std::size_t own_layouts = 0;
    EXPECT_TRUE(rc::check("a copy of variant fast that is changed is found", [&own_layouts] {
        RunHeader header = *any_run_header(500);
        header.input.distribution = "uniform";
        header.input.parameter.reset();
        header.tolerance_ppm = 300'000;
        header.digit_bits = 8;
        KernelsRun recorded = kernels_run(header, "fast");
        if (!swaps_in_rounds(recorded.plan) || recorded.run.copies.size() < 3) {
            return;
        }
        ++own_layouts;
        expect_changed_copy_is_found(std::move(recorded.run), changes_of_fast_layout);
    }));
    EXPECT_GE(own_layouts, 3U);
}

/// A run of variant `fast`, in several rounds if its single pass permits them.
KernelsRun run_in_rounds() {
    RunHeader header = *any_run_header(500);
    header.input.distribution = "uniform";
    header.input.parameter.reset();
    header.tolerance_ppm = 300'000;
    header.digit_bits = 8;
    return kernels_run(header, "fast");
}

/// A change of a run in rounds; false if the run has no place for it.
using RoundChange = bool (*)(RecordedRun&);

bool exchange_rounds(RecordedRun& run) {
    int const last = std::ranges::max(run.copies, {}, &CopyRecord::stage).stage;
    CopyRecord const first = run.copies.front();
    bool const several = std::ranges::any_of(run.copies, [&first](CopyRecord const& copy) {
        return copy.destination == first.destination && copy.stage != first.stage;
    });
    for (CopyRecord& copy : run.copies) {
        copy.stage = last - copy.stage;
    }
    return several;
}

/// Swaps two destinations in a source's chunk. Only keys that are sent count: others may be
/// anywhere between the rounds.
bool exchange_destinations(RecordedRun& run) {
    for (CopyRecord& first : run.copies) {
        for (CopyRecord& second : run.copies) {
            bool const neighbours = first.source == second.source && first.stage == second.stage &&
                                    first.source_offset + first.count == second.source_offset;
            bool const both_sent =
                first.destination != first.source && second.destination != second.source;
            if (neighbours && both_sent && first.count != second.count) {
                second.source_offset = first.source_offset;
                first.source_offset = second.source_offset + second.count;
                return true;
            }
        }
    }
    return false;
}

bool declare_another_layout(RecordedRun& run) {
    run.header.layout = SwapLayout::by_source;
    return run.copies.size() > 4;
}

bool declare_none(RecordedRun& run) {
    run.header.layout.reset();
    return run.header.key_count > 0;
}

TEST(FastLayout, ExchangedRoundsAndOtherLayoutsAreFound) {
    for (RoundChange const change :
         {exchange_rounds, exchange_destinations, declare_another_layout, declare_none}) {
        std::size_t planted = 0;
        EXPECT_TRUE(rc::check("a change of a run in rounds is found", [&planted, change] {
            KernelsRun recorded = run_in_rounds();
            bool const several =
                swaps_in_rounds(recorded.plan) && recorded.plan.config.gpu_count > 1;
            if (!several || !change(recorded.run)) {
                return;
            }
            ++planted;
            auto const report = assert_differs(recorded.run);
            RC_ASSERT(report.differences.front().check == model::verify::Check::copies);
        }));
        EXPECT_GE(planted, 3U);
    }
}

/// Analytic checks are skipped: the records of every variant do sort the keys.
TEST(FastLayout, RecordsCarriedOutSortTheKeys) {
    EXPECT_TRUE(rc::check("a run in rounds is carried out", [] {
        KernelsRun const recorded = run_in_rounds();
        auto const problem = carry_out(recorded.run);
        if (problem) {
            RC_FAIL(*problem);
        }
    }));
}

/// A run of several passes in which some GPU receives keys from several sources, copied by pairs.
KernelsRun several_passes_by_pairs() {
    RunHeader header = *any_run_header(500);
    header.input.distribution = "skewed";
    header.input.parameter = 20;
    header.tolerance_ppm = 0;
    return kernels_run(header, fast_by_pairs);
}

/// If the layout is known, every field of a copy matters.
TEST(PairLayout, AChangedCopyIsFound) {
    std::size_t pair_layouts = 0;
    EXPECT_TRUE(rc::check("a copy of a pair that is changed is found", [&pair_layouts] {
        KernelsRun recorded = several_passes_by_pairs();
        if (recorded.plan.passes.size() < 2 || recorded.run.copies.size() < 3) {
            return;
        }
        ++pair_layouts;
        expect_changed_copy_is_found(std::move(recorded.run), changes_of_known_layout);
    }));
    EXPECT_GE(pair_layouts, 10U);
}

/// Copies by pairs and sort ranges by buckets are valid separately but not together, since the
/// pieces of a bucket are not adjacent.
TEST(PairLayout, RangesOfBucketsAreFoundWhereBucketsComeInPieces) {
    std::size_t mixed = 0;
    EXPECT_TRUE(rc::check("ranges of buckets that lie in pieces are found", [&mixed] {
        KernelsRun recorded = several_passes_by_pairs();
        KernelsRun const by_buckets = kernels_run(recorded.run.header, "rotated");
        bool const pieces = by_buckets.run.copies.size() > recorded.run.copies.size();
        if (!pieces || by_buckets.run.sort_ranges == recorded.run.sort_ranges) {
            return;
        }
        ++mixed;
        recorded.run.sort_ranges = by_buckets.run.sort_ranges;
        auto const report = assert_differs(recorded.run);
        RC_ASSERT(report.differences.front().check == model::verify::Check::sort_ranges);
    }));
    EXPECT_GE(mixed, 3U);
}

} // namespace
} // namespace keyswap::proptests
