#pragma once

/// \file Durations of the kernels of RMG sort's variant `fast`: the larger of bytes moved over the
/// rate of such kernels and the cost of ranking the keys.
///
/// All of them stream through HBM and keep it busy while they run; partial sectors and read-write
/// turnarounds account for the gap to the rate of a copy. So each is charged the bytes that a copy
/// within the GPU would move in the same time, and concurrent copies of the key swap slow it down
/// by the time of their own bytes. (On an H200, CUB's sort of 268e6 keys took 3.96 ms alone and
/// 4.13 to 4.42 with a concurrent swap that takes 0.26 ms of HBM time.)

#include "kernels/exchange_plan/local_sizes.hpp"
#include "simulator/cost/cost_model.hpp"
#include "traces/records/key_type.hpp"

namespace keyswap::simulator {

using kernels::counting_bits;
using kernels::step_bits;
using kernels::wide_step_bits;

/// Bits that one reading of the keys counts for two levels. \pre keys of 4 or 8 bytes
[[nodiscard]] constexpr int leading_bits_of(RecordBytes record) {
    return kernels::leading_bits(static_cast<int>(record.key));
}
[[nodiscard]] constexpr kernels::ElementShape shape_of(RecordBytes record) {
    return {static_cast<int>(record.key), static_cast<int>(record.value)};
}
/// Elements per thread block of the unstable step.
[[nodiscard]] constexpr std::uint64_t unstable_tile_keys(RecordBytes record) {
    return kernels::unstable_block(shape_of(record)).size();
}
/// Likewise for a step by labels.
[[nodiscard]] constexpr std::uint64_t label_tile_keys(RecordBytes record) {
    return kernels::label_block(shape_of(record)).size();
}
/// Likewise for the stable step. \param bits of its digits
[[nodiscard]] constexpr std::uint64_t stable_tile_keys(RecordBytes record, int bits = step_bits) {
    return kernels::stable_block(shape_of(record), bits).size();
}

/// Costs of the kernels on one GPU model, without launches.
class FastKernels {
  public:
    /// \pre profile.fast has a value; profile must outlive the object
    explicit FastKernels(DeviceProfile const& profile);

    /// Counts keys by one digit: bytes / read.
    [[nodiscard]] KernelCost histogram(std::size_t key_bytes, std::uint64_t key_count) const;

    /// Counts the keys of buckets by their remaining digits: bytes / read + digits * count.
    [[nodiscard]] KernelCost
    count(std::size_t key_bytes, std::uint64_t key_count, int digit_count) const;

    /// Counts keys by the children of a digit tree's nodes: the larger of bytes / read and the walk
    /// down the levels. \param depth digits down to the deepest node's children
    [[nodiscard]] KernelCost
    tree_histogram(std::size_t key_bytes, std::uint64_t key_count, int depth) const;

    /// Moves keys to the regions of their digits, in any order: max(memory, conflict *
    /// colliding keys of a warp). The run of a digit in a tile starts and ends inside lines
    /// of 128 bytes, whose other parts other tiles write later; so each run of keys, and of
    /// values, writes one line more than it fills: half as long runs, twice as many lines.
    /// (On an H100 9 bits take 1.22 to 1.29 times as long as 8.) With concentration c, 1 + 31
    /// c of a warp's 32 keys collide; warps in which 8 or more keys share a digit aggregate
    /// their atomics and are limited by memory only. Runs longer than an HBM page approach
    /// the rate of a copy: each opens one extra page, however long it is. A value waits for
    /// its key's offset. \param tile_keys keys per block; by default those of a step by
    /// digits
    [[nodiscard]] KernelCost unstable_step(RecordBytes record,
                                           std::uint64_t key_count,
                                           BlockSpread const& spread,
                                           std::uint64_t tile_keys) const;
    [[nodiscard]] KernelCost
    unstable_step(RecordBytes record, std::uint64_t key_count, BlockSpread const& spread) const {
        return unstable_step(record, key_count, spread, unstable_tile_keys(record));
    }

    /// The same for evenly distributed digits. \param bits of the digit
    [[nodiscard]] KernelCost
    unstable_step(RecordBytes record, std::uint64_t key_count, int bits) const;

    /// A step that separates ranges of images: in addition each key's range is searched for and
    /// kept in shared memory.
    [[nodiscard]] KernelCost
    range_step(RecordBytes record, std::uint64_t key_count, BlockSpread const& spread) const;

    /// A step that preserves the order of equal digits. Keys alone: limited by ranking. With
    /// values: limited by memory, (bytes + lines shared by runs) / step. \param bits of the digit:
    /// 9, or 8 for any narrower digit
    [[nodiscard]] KernelCost
    stable_step(RecordBytes record, std::uint64_t key_count, int bits = step_bits) const;

    /// Sorts 32-bit keys by their low 15 bits. A block clears and sums 2^15 counters for each group
    /// of keys that agree in all other bits, however small the group.
    [[nodiscard]] KernelCost counting_sort(std::uint64_t key_count,
                                           std::uint64_t stretch_count) const;

    /// Likewise for groups of any size: one kernel counts tiles, a second writes the keys from the
    /// counts. The counters of a tile take so much shared memory that only half as many threads as
    /// in a histogram kernel load keys concurrently.
    [[nodiscard]] KernelCost count_stretches(std::uint64_t key_count,
                                             std::uint64_t tile_count) const;

    /// Converts keys to images or back, in place.
    [[nodiscard]] KernelCost change_images(std::size_t key_bytes, std::uint64_t key_count) const;

    /// Searches the splitter tree for each key and writes a one-byte label, which the step reads
    /// again. A level costs serialized reads of a warp's lanes at different nodes; lanes on one
    /// path read the same node. \param bits levels of the tree
    /// \param concentration of the keys in their buckets
    [[nodiscard]] KernelCost
    label(std::size_t key_bytes, std::uint64_t key_count, int bits, double concentration) const;

    /// Sorts segments that fit in shared memory by bins: bytes / copy + keys * leaf_bin. A stable
    /// sort also orders the original positions of equal keys: leaf_bin is multiplied by 1 + key
    /// bytes / 8.
    [[nodiscard]] KernelCost leaf_bins(RecordBytes record,
                                       std::uint64_t key_count,
                                       Stability ties = Stability::unstable) const;

    /// Sorts such segments by merging; keys of 16 bytes cost twice those of 8.
    [[nodiscard]] KernelCost leaf_sort(RecordBytes record, std::uint64_t key_count) const;

    /// One level of published sample sort: counts keys by tiles of 2,048; writes, sums and reads
    /// the table of counts (4 bytes per bucket and tile); moves the keys after a second tree walk,
    /// unordered within tiles. \param bits levels of the tree
    [[nodiscard]] KernelCost
    direct_step(RecordBytes record, std::uint64_t key_count, int bits) const;

    /// Published leaf sort, leaves of about `leaf_keys` keys with a block of 256 threads each:
    /// quicksort partitions them down to 2,048 keys, reading each key twice, and Batcher's network
    /// sorts the rest, padded to powers of two, with half as many comparators as keys per stage.
    /// Both take rounds of one key or comparator per thread. Many blocks per multiprocessor hide
    /// each other's latency: then the words accessed count. Few leaves take as long as the
    /// sequential rounds of the largest leaf.
    [[nodiscard]] KernelCost
    quicksort(RecordBytes record, std::uint64_t key_count, std::uint64_t leaf_keys) const;

    /// Copies within the GPU's memory.
    [[nodiscard]] KernelCost copy(std::uint64_t size_bytes) const;

    /// Writes `size_bytes`: takes as long as a copy of half as many.
    [[nodiscard]] KernelCost fill(std::uint64_t size_bytes) const;

  private:
    [[nodiscard]] KernelCost busy(double seconds) const;

    DeviceProfile const& profile_;
};

} // namespace keyswap::simulator
