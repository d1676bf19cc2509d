/// \file Expected copies of the exchange in each layout of variant `fast`.

#include "model/verify/record_text.hpp"
#include "model/verify/sorts/sort_checks.hpp"

#include "model/sorts/rmg/key_swap.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

namespace keyswap::model::verify {

namespace {

/// Maximum width of the digit that rounds are scattered by.
constexpr int round_digit_bits_max = 8;

using Pair = std::pair<GpuId, GpuId>; ///< source, destination

/// Number of copies that occur in only one of two sorted lists.
std::size_t differing(std::vector<CopyRecord> const& a, std::vector<CopyRecord> const& b) {
    std::vector<CopyRecord> only_one;
    std::ranges::set_symmetric_difference(a, b, std::back_inserter(only_one), precedes);
    return only_one.size();
}

/// A range of a GPU's memory.
struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t count = 0;
};

/// Describes the first gap or overlap; nullopt if the ranges are contiguous from `begin` on.
std::optional<std::string> gap_or_overlap(std::vector<Stretch> stretches, std::uint64_t begin) {
    std::ranges::sort(stretches, {}, &Stretch::begin);
    std::uint64_t at = begin;
    for (Stretch const& stretch : stretches) {
        if (stretch.begin != at) {
            return std::string(stretch.begin > at ? "a gap" : "an overlap") + " at offset " +
                   std::to_string(std::min(at, stretch.begin));
        }
        at += stretch.count;
    }
    return std::nullopt;
}

enum class Side { sent, arriving };

/// Checks the size of a GPU's chunk. Its offset is arbitrary, since a sorter built for more keys
/// has more memory; its size is at most that of a chunk.
bool chunk_fits(Plan const& plan, std::vector<Stretch> const& sent) {
    std::uint64_t rest = plan.chunks.size() + 2 * plan.tolerance;
    for (Stretch const& stretch : sent) {
        if (stretch.count > rest) {
            return false;
        }
        rest -= stretch.count;
    }
    return true;
}

/// \param stretches memory ranges sent from, or arriving at, each GPU
void verify_tiling(std::map<GpuId, std::vector<Stretch>> const& stretches,
                   Plan const& plan,
                   Side side,
                   Report& report) {
    bool const arriving = side == Side::arriving;
    for (auto const& [gpu, of_gpu] : stretches) {
        // Arrivals fill a GPU's owned range from offset 0.
        std::uint64_t const begin =
            arriving ? 0 : std::ranges::min_element(of_gpu, {}, &Stretch::begin)->begin;
        if (!arriving && !chunk_fits(plan, of_gpu)) {
            report.differ(Check::copies)
                .on(gpu)
                .expect("a chunk of at most " + keys_text(plan.chunks.size() + 2 * plan.tolerance) +
                        " (C + 2E)")
                .found("a larger one")
                .implies("Memory outside the GPU's chunk is sent.");
        } else if (auto const problem = gap_or_overlap(of_gpu, begin)) {
            report.differ(Check::copies, Verdict::lost_or_duplicated_keys)
                .on(gpu)
                .expect(arriving ? "arrivals without gap or overlap"
                                 : "a chunk that is sent without gap or overlap")
                .found(*problem)
                .implies(arriving
                             ? "Keys are overwritten, or memory that received no keys is sorted."
                             : "Keys are sent twice, and others never.");
        }
    }
}

} // namespace

bool precedes(CopyRecord const& a, CopyRecord const& b) {
    auto const place = [](CopyRecord const& copy) {
        return std::tuple(copy.source,
                          copy.destination,
                          copy.source_offset,
                          copy.destination_offset,
                          copy.count,
                          copy.stage);
    };
    return place(a) < place(b);
}

std::vector<CopyRecord> merged_copies(std::vector<CopyRecord> copies) {
    std::erase_if(copies, [](CopyRecord const& copy) { return copy.count == 0; });
    std::ranges::sort(copies, precedes);
    std::vector<CopyRecord> result;
    for (CopyRecord const& copy : copies) {
        bool const joins =
            !result.empty() && result.back().source == copy.source &&
            result.back().destination == copy.destination && result.back().stage == copy.stage &&
            result.back().source_offset + result.back().count == copy.source_offset &&
            result.back().destination_offset + result.back().count == copy.destination_offset;
        if (joins) {
            result.back().count += copy.count;
        } else {
            result.push_back(copy);
        }
    }
    return result;
}

std::vector<CopyRecord> copies_by_pair(Plan const& plan) {
    std::uint32_t const gpus = plan.config.gpu_count;
    std::vector<std::uint64_t> const moved = transfer_matrix(plan);
    std::vector<std::uint64_t> arrived(gpus, 0);
    std::vector<CopyRecord> copies;
    for (std::uint32_t source = 0; source < gpus; ++source) {
        std::uint64_t sent = 0;
        for (std::uint32_t destination = 0; destination < gpus; ++destination) {
            std::uint64_t const count = moved[std::size_t{source} * gpus + destination];
            if (count > 0) {
                copies.push_back(
                    {GpuId{source}, sent, GpuId{destination}, arrived[destination], count});
            }
            sent += count;
            arrived[destination] += count;
        }
    }
    return copies;
}

SwapLayout layout_of(RecordedRun const& run, Plan const& plan) {
    if (run.header.version > 1) {
        return run.header.layout.value_or(SwapLayout::by_bucket);
    }
    if (run.header.variant != "fast") {
        return SwapLayout::by_bucket;
    }
    std::vector<CopyRecord> const recorded = merged_copies(run.copies);
    std::size_t const from_buckets = differing(merged_copies(merged_copies(plan)), recorded);
    if (from_buckets == 0) {
        return SwapLayout::by_bucket;
    }
    if (plan.passes.size() == 1 && plan.config.digit_bits <= round_digit_bits_max) {
        return SwapLayout::by_round;
    }
    // A single wrong copy must not switch the layout of the whole run.
    return differing(copies_by_pair(plan), recorded) < from_buckets ? SwapLayout::by_source
                                                                    : SwapLayout::by_bucket;
}

void verify_round_sums(std::vector<CopyRecord> const& recorded, Plan const& plan, Report& report) {
    std::map<Pair, std::pair<std::uint64_t, std::uint64_t>> counts; ///< expected, recorded
    for (CopyRecord const& copy : copies_by_pair(plan)) {
        counts[{copy.source, copy.destination}].first += copy.count;
    }
    std::map<GpuId, std::vector<Stretch>> sent;
    std::map<GpuId, std::vector<Stretch>> arrived;
    for (CopyRecord const& copy : recorded) {
        counts[{copy.source, copy.destination}].second += copy.count;
        sent[copy.source].push_back({copy.source_offset, copy.count});
        arrived[copy.destination].push_back({copy.destination_offset, copy.count});
    }
    for (auto const& [pair, keys] : counts) {
        if (keys.first != keys.second) {
            std::string const destination = std::to_string(pair.second.value);
            report.differ(Check::copies, Verdict::lost_or_duplicated_keys)
                .on(pair.first)
                .expect(keys_text(keys.first) + " to GPU " + destination)
                .found(keys_text(keys.second))
                .implies(keys.second < keys.first ? "Keys are lost on the way."
                                                  : "Keys arrive that do not belong there.");
        }
    }
    if (plan.config.key_count > 0) {
        verify_tiling(sent, plan, Side::sent, report);
        verify_tiling(arrived, plan, Side::arriving, report);
    }
}

} // namespace keyswap::model::verify
