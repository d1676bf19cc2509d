#include "model/sorts/rmg/key_swap.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::model {

namespace {

/// Splits one source's keys of a bucket, with global indices `range`, among the owners.
/// Calls visit(gpu, piece) for each non-empty piece.
template <class Visit>
void split_over_owners(std::vector<OwnedPart> const& owners, IndexRange range, Visit const& visit) {
    for (OwnedPart const& owner : owners) {
        IndexRange const piece{std::max(range.begin, owner.range.begin),
                               std::min(range.end, owner.range.end)};
        if (piece.begin < piece.end) {
            visit(owner.gpu, piece);
        }
    }
}

/// As for_each_copy(), without std::function: a plan of 576 GPUs has 85 million copies.
template <class Visit>
void visit_copies(Plan const& plan, Visit const& visit) {
    std::uint32_t const gpu_count = plan.config.gpu_count;
    std::vector<std::uint64_t> source_offset(gpu_count, 0);
    for (std::size_t index = 0; index < plan.buckets.size(); ++index) {
        PlannedBucket const& bucket = plan.buckets[index];
        std::vector<OwnedPart> const owners = owned_parts(plan.chunks, bucket.placement);
        std::uint64_t position = bucket.placement.begin;
        for (std::uint32_t source = 0; source < gpu_count; ++source) {
            std::uint64_t const size = part_size(plan, bucket, GpuId{source});
            auto const visit_piece = [&](GpuId destination, IndexRange piece) {
                std::uint64_t const base = plan.ownership[destination.value].base;
                visit(BucketCopy{index,
                                 CopyRecord{GpuId{source},
                                            source_offset[source],
                                            destination,
                                            piece.begin - base,
                                            piece.size()}});
                source_offset[source] += piece.size();
            };
            split_over_owners(owners, {position, position + size}, visit_piece);
            position += size;
        }
        KEYSWAP_ENSURES(position == bucket.placement.end);
    }
}

/// Calls take(copy) for each merged copy once it is complete. Only copies of the same source and
/// destination come in a defined order: by ascending offset.
template <class Take>
void merge_copies(Plan const& plan, Take const& take) {
    // The last copy of each (source, destination); the next copy may extend it.
    std::uint32_t const gpu_count = plan.config.gpu_count;
    std::vector<CopyRecord> open(std::size_t{gpu_count} * gpu_count);
    visit_copies(plan, [&](BucketCopy const& piece) {
        CopyRecord const& copy = piece.copy;
        CopyRecord& last =
            open[std::size_t{copy.source.value} * gpu_count + copy.destination.value];
        if (last.count > 0 && last.source_offset + last.count == copy.source_offset &&
            last.destination_offset + last.count == copy.destination_offset) {
            last.count += copy.count;
            return;
        }
        if (last.count > 0) {
            take(last);
        }
        last = copy;
    });
    for (CopyRecord const& last : open) {
        if (last.count > 0) {
            take(last);
        }
    }
}

} // namespace

std::vector<OwnedPart> owned_parts(Chunks const& chunks, PlacementRecord const& placement) {
    KEYSWAP_EXPECTS(placement.state != PlacementState::spanning);
    std::vector<OwnedPart> parts;
    std::uint64_t begin = placement.begin;
    for (GpuId gpu = placement.first; gpu < placement.last; gpu.value += 1) {
        std::uint64_t const border = chunks.border(gpu);
        parts.push_back({gpu, {begin, border}});
        begin = border;
    }
    parts.push_back({placement.last, {begin, placement.end}});
    return parts;
}

std::vector<OwnershipRecord> plan_ownership(Chunks const& chunks,
                                            std::vector<PlannedBucket> const& buckets) {
    std::vector<OwnershipRecord> ownership(chunks.gpu_count());
    for (PlannedBucket const& bucket : buckets) {
        for (OwnedPart const& part : owned_parts(chunks, bucket.placement)) {
            ownership[part.gpu.value].count += part.range.size();
        }
    }
    std::uint64_t base = 0;
    for (std::uint32_t gpu = 0; gpu < chunks.gpu_count(); ++gpu) {
        ownership[gpu].gpu = GpuId{gpu};
        ownership[gpu].base = base;
        base += ownership[gpu].count;
    }
    KEYSWAP_ENSURES(base == chunks.key_count());
    return ownership;
}

void for_each_copy(Plan const& plan, std::function<void(BucketCopy const&)> const& visit) {
    visit_copies(plan, visit);
}

std::vector<CopyRecord> merged_copies(Plan const& plan) {
    return merged_copies(plan, [](GpuId, GpuId destination) { return destination.value; });
}

std::vector<CopyRecord>
merged_copies(Plan const& plan,
              std::function<std::uint32_t(GpuId source, GpuId destination)> const& turn) {
    std::vector<CopyRecord> found;
    merge_copies(plan, [&](CopyRecord const& copy) { found.push_back(copy); });
    // Copies of one pair are already in order, so a counting sort by pair suffices.
    std::uint32_t const gpu_count = plan.config.gpu_count;
    auto const pair_of = [gpu_count](GpuId source, GpuId destination) {
        return std::size_t{source.value} * gpu_count + destination.value;
    };
    std::vector<std::size_t> counts(std::size_t{gpu_count} * gpu_count, 0);
    for (CopyRecord const& copy : found) {
        ++counts[pair_of(copy.source, copy.destination)];
    }
    std::vector<std::size_t> places(counts.size(), 0);
    std::vector<std::pair<std::uint32_t, GpuId>> turns(gpu_count);
    std::size_t place = 0;
    for (GpuId source{0}; source.value < gpu_count; ++source.value) {
        for (GpuId destination{0}; destination.value < gpu_count; ++destination.value) {
            turns[destination.value] = {turn(source, destination), destination};
        }
        std::ranges::sort(turns);
        for (auto const& [ignored, destination] : turns) {
            places[pair_of(source, destination)] = place;
            place += counts[pair_of(source, destination)];
        }
    }
    std::vector<CopyRecord> copies(found.size());
    for (CopyRecord const& copy : found) {
        copies[places[pair_of(copy.source, copy.destination)]++] = copy;
    }
    return copies;
}

std::vector<PairTotals> pair_totals(Plan const& plan, SwapCopies counted) {
    std::size_t const gpu_count = plan.config.gpu_count;
    std::vector<PairTotals> totals(gpu_count * gpu_count);
    auto const count = [&](CopyRecord const& copy) {
        PairTotals& pair = totals[copy.source.value * gpu_count + copy.destination.value];
        pair.keys += copy.count;
        pair.copies += 1;
    };
    if (counted == SwapCopies::merged) {
        merge_copies(plan, count);
    } else {
        visit_copies(plan, [&](BucketCopy const& piece) { count(piece.copy); });
    }
    return totals;
}

PairTotals swap_totals(Plan const& plan) {
    PairTotals totals;
    std::vector<PairTotals> const pairs = pair_totals(plan, SwapCopies::merged);
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        if (pair / plan.config.gpu_count != pair % plan.config.gpu_count) {
            totals.keys += pairs[pair].keys;
            totals.copies += pairs[pair].copies;
        }
    }
    return totals;
}

std::vector<std::uint64_t> transfer_matrix(Plan const& plan) {
    std::vector<std::uint64_t> keys;
    for (PairTotals const& pair : pair_totals(plan, SwapCopies::by_bucket)) {
        keys.push_back(pair.keys);
    }
    return keys;
}

} // namespace keyswap::model
