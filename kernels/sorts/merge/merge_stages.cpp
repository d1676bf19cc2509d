#include "kernels/sorts/merge/merge_stages.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::kernels {

namespace {

using Stages = std::vector<std::vector<GroupMerge>>;

/// Merges two lists of stages that can run in parallel.
Stages in_parallel(Stages left, Stages const& right) {
    left.resize(std::max(left.size(), right.size()));
    for (std::size_t i = 0; i < right.size(); ++i) {
        left[i].insert(left[i].end(), right[i].begin(), right[i].end());
    }
    return left;
}

Stages stages_of(std::uint32_t first, std::uint32_t last) {
    if (last - first < 2) {
        return {};
    }
    std::uint32_t const middle = first + (last - first + 1) / 2;
    Stages const halves = in_parallel(stages_of(first, middle), stages_of(middle, last));
    Stages stages = halves;
    stages.push_back({{first, middle, last}});
    std::ranges::copy(halves, std::back_inserter(stages));
    return stages;
}

/// Location of key `index` of a group.
struct Position {
    std::uint32_t gpu = 0;
    std::uint64_t offset = 0;
};

Position
position_of(std::uint32_t first, std::vector<std::uint64_t> const& counts, std::uint64_t index) {
    Position at{first, index};
    while (at.offset >= counts[at.gpu]) {
        at.offset -= counts[at.gpu];
        at.gpu += 1;
    }
    return at;
}

} // namespace

std::vector<std::vector<GroupMerge>> merge_stages(std::uint32_t gpu_count) {
    return stages_of(0, gpu_count);
}

std::vector<ChunkSwap> chunk_swaps(GroupMerge const& merge,
                                   std::vector<std::uint64_t> const& counts,
                                   std::uint64_t swap_count) {
    std::uint64_t left_count = 0;
    for (std::uint32_t gpu = merge.first; gpu < merge.middle; ++gpu) {
        left_count += counts[gpu];
    }
    std::vector<ChunkSwap> swaps;
    for (std::uint64_t done = 0; done < swap_count;) {
        Position const left = position_of(merge.first, counts, left_count - swap_count + done);
        Position const right = position_of(merge.middle, counts, done);
        std::uint64_t const count = std::min(
            {swap_count - done, counts[left.gpu] - left.offset, counts[right.gpu] - right.offset});
        swaps.push_back({left.gpu, left.offset, right.gpu, right.offset, count});
        done += count;
    }
    return swaps;
}

} // namespace keyswap::kernels
