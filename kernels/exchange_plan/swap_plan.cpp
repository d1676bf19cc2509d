#include "kernels/exchange_plan/swap_plan.hpp"

#include <algorithm>
#include <tuple>

namespace keyswap::kernels {

namespace {

/// Paper, section 3.3: a GPU with more groups sorts its whole range with one call.
constexpr std::size_t group_count_max = 128;

/// Adjacent buckets sorted by one call.
struct Group {
    SortRangeRecord range;
    ImageRange images;
    int pass = 0;
    bool in_order = true; ///< every bucket holds one value

    void add(OwnedBucket const& piece) {
        range.count += piece.count;
        images.highest = piece.images.highest;
        in_order = in_order && piece.images.is_one_value();
    }
};

Group group_of(OwnedBucket const& piece) {
    Group group{
        {piece.gpu, piece.offset, 0, 0, 0}, {piece.images.lowest, 0}, piece.bucket.pass, true};
    group.add(piece);
    return group;
}

std::vector<Group> fused_groups(std::span<OwnedBucket const> owned, std::uint64_t fuse_below) {
    std::vector<Group> groups;
    for (OwnedBucket const& piece : owned) {
        bool const joins = !groups.empty() && groups.back().pass == piece.bucket.pass &&
                           groups.back().range.count + piece.count < fuse_below;
        if (joins) {
            groups.back().add(piece);
        } else {
            groups.push_back(group_of(piece));
        }
    }
    return groups;
}

/// End of `gpu`'s share of a bucket: the GPU's border, or the bucket's end on its last GPU.
std::uint64_t piece_end(PlacementRecord const& placement,
                        std::uint32_t gpu,
                        std::span<OwnershipRecord const> ownership) {
    return gpu == placement.last.value ? placement.end : ownership[gpu].base + ownership[gpu].count;
}

} // namespace

bool holds_one_value(std::span<FinalBucket const> buckets) {
    return buckets.size() == 1 && buckets.front().images.is_one_value();
}

bool fit_counting(std::span<FinalBucket const> buckets, std::uint64_t counting_min) {
    std::uint64_t key_count = 0;
    bool is_too_dense = false;
    for (FinalBucket const& bucket : buckets) {
        std::uint64_t const keys = bucket.count();
        key_count += keys;
        is_too_dense |= keys >> wide_step_bits > narrow_stretch_keys;
    }
    return !is_too_dense && key_count >= (buckets.size() << wide_step_bits) * counting_min;
}

std::vector<OwnershipRecord>
ownership_of(std::span<FinalBucket const> buckets, PlacementRule rule, std::uint64_t key_count) {
    std::vector<OwnershipRecord> ownership(rule.gpu_count);
    for (std::uint32_t gpu = 0; gpu < rule.gpu_count; ++gpu) {
        ownership[gpu].gpu = GpuId{gpu};
    }
    for (FinalBucket const& bucket : buckets) {
        PlacementRecord const& placement = bucket.placement;
        std::uint64_t begin = placement.begin;
        for (std::uint32_t gpu = placement.first.value; gpu <= placement.last.value; ++gpu) {
            std::uint64_t const border = (gpu + 1ULL) * rule.chunk_size;
            std::uint64_t const end = gpu == placement.last.value ? placement.end : border;
            ownership[gpu].count += end - begin;
            begin = end;
        }
    }
    std::uint64_t base = 0;
    for (OwnershipRecord& record : ownership) {
        record.base = base;
        base += record.count;
    }
    KEYSWAP_ENSURES(base == key_count);
    return ownership;
}

std::vector<OwnedBucket> owned_buckets(std::span<FinalBucket const> buckets,
                                       std::span<OwnershipRecord const> ownership) {
    std::vector<OwnedBucket> owned;
    owned.reserve(buckets.size() + ownership.size());
    for (FinalBucket const& bucket : buckets) {
        PlacementRecord const& placement = bucket.placement;
        std::uint64_t begin = placement.begin;
        for (std::uint32_t gpu = placement.first.value; gpu <= placement.last.value; ++gpu) {
            std::uint64_t const end = piece_end(placement, gpu, ownership);
            if (end > begin) {
                owned.push_back({GpuId{gpu},
                                 placement.bucket,
                                 begin - ownership[gpu].base,
                                 end - begin,
                                 bucket.images});
            }
            begin = end;
        }
    }
    return owned;
}

std::vector<CopyRecord> bucket_copies(std::span<FinalBucket const> buckets,
                                      std::span<OwnershipRecord const> ownership) {
    std::vector<CopyRecord> copies;
    copies.reserve(buckets.size() * ownership.size());
    for (FinalBucket const& bucket : buckets) {
        PlacementRecord const& placement = bucket.placement;
        std::uint32_t gpu = placement.first.value;
        std::uint64_t at = placement.begin; // global index of the next key to place
        for (std::uint32_t source = 0; source < bucket.parts.size(); ++source) {
            KeyRange part = bucket.parts[source];
            while (part.count > 0) {
                std::uint64_t const end = piece_end(placement, gpu, ownership);
                if (at == end) {
                    ++gpu;
                    continue;
                }
                std::uint64_t const count = std::min(part.count, end - at);
                copies.push_back(
                    {GpuId{source}, part.offset, GpuId{gpu}, at - ownership[gpu].base, count});
                part.offset += count;
                part.count -= count;
                at += count;
            }
        }
    }
    return copies;
}

std::vector<CopyRecord> rotated_copies(std::vector<CopyRecord> copies, std::uint32_t gpu_count) {
    auto const rotation = [gpu_count](CopyRecord const& copy) {
        return (copy.destination.value + gpu_count - copy.source.value - 1) % gpu_count;
    };
    std::sort(copies.begin(), copies.end(), [&rotation](CopyRecord const& a, CopyRecord const& b) {
        return std::tuple{a.source, rotation(a), a.source_offset} <
               std::tuple{b.source, rotation(b), b.source_offset};
    });
    std::vector<CopyRecord> merged;
    merged.reserve(copies.size());
    for (CopyRecord const& copy : copies) {
        bool const joins =
            !merged.empty() && merged.back().source == copy.source &&
            merged.back().destination == copy.destination &&
            merged.back().source_offset + merged.back().count == copy.source_offset &&
            merged.back().destination_offset + merged.back().count == copy.destination_offset;
        if (joins) {
            merged.back().count += copy.count;
        } else {
            merged.push_back(copy);
        }
    }
    return merged;
}

std::vector<SortRangeRecord> bucket_ranges(std::span<OwnedBucket const> owned) {
    std::vector<SortRangeRecord> ranges;
    ranges.reserve(owned.size());
    for (OwnedBucket const& piece : owned) {
        ranges.push_back({piece.gpu, piece.offset, piece.count, 0, piece.images.end_bit()});
    }
    return ranges;
}

std::vector<SortRangeRecord> sort_ranges(std::span<OwnedBucket const> owned,
                                         std::uint64_t fuse_below) {
    std::vector<SortRangeRecord> ranges;
    auto begin = owned.begin();
    while (begin != owned.end()) {
        auto const end = std::find_if(
            begin, owned.end(), [begin](OwnedBucket const& o) { return o.gpu != begin->gpu; });
        std::vector<Group> groups = fused_groups({begin, end}, fuse_below);
        if (groups.size() > group_count_max) {
            // One call for buckets of several passes; its bits must cover the widest difference.
            Group whole = group_of(*begin);
            std::for_each(begin + 1, end, [&whole](OwnedBucket const& o) { whole.add(o); });
            groups.assign(1, whole);
        }
        for (Group& group : groups) {
            group.range.end_bit = group.in_order ? 0 : group.images.end_bit();
            ranges.push_back(group.range);
        }
        begin = end;
    }
    return ranges;
}

} // namespace keyswap::kernels
