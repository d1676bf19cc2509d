#pragma once

/// \file Times of the kernels of RMG sort's variant `fast`. Each is either the bytes that it moves
/// over the rate at which such kernels move them, or a cost of ranking a key, whichever is longer.
///
/// All of them stream through the GPU's memory and keep it busy as long as they run: what they lack
/// to the rate of a copy goes into parts of sectors and into turns between reads and writes. So
/// each is charged what a copy within the GPU would have moved in its time, and copies of the key
/// swap beside it slow it down by the time that their own bytes take. (On an H200 CUB's sort of
/// 268e6 keys took 3.96 ms alone and 4.13 to 4.42 beside a swap that takes 0.26 ms of the memory.)

#include "kernels/exchange_plan/local_sizes.hpp"
#include "simulator/cost/cost_model.hpp"
#include "traces/records/key_type.hpp"

namespace keyswap::simulator {

using kernels::counting_bits;
using kernels::step_bits;
using kernels::wide_step_bits;

[[nodiscard]] constexpr kernels::ElementShape shape_of(RecordBytes record) {
    return {static_cast<int>(record.key), static_cast<int>(record.value)};
}
/// Elements of a thread block of the unstable step.
[[nodiscard]] constexpr std::uint64_t unstable_tile_keys(RecordBytes record) {
    return kernels::unstable_block(shape_of(record)).size();
}
/// The same of a step by labels.
[[nodiscard]] constexpr std::uint64_t label_tile_keys(RecordBytes record) {
    return kernels::label_block(shape_of(record)).size();
}
/// The same of the stable step. \param bits of its digits
[[nodiscard]] constexpr std::uint64_t stable_tile_keys(RecordBytes record, int bits = step_bits) {
    return kernels::stable_block(shape_of(record), bits).size();
}

/// Costs of the kernels on one kind of GPU, without launches.
class FastKernels {
  public:
    /// \pre profile.fast; profile outlives it
    explicit FastKernels(DeviceProfile const& profile);

    /// Counts keys by one digit: bytes / read.
    [[nodiscard]] KernelCost histogram(std::size_t key_bytes, std::uint64_t key_count) const;

    /// Counts the keys of buckets by the digits of their rest: bytes / read + digits * count.
    [[nodiscard]] KernelCost
    count(std::size_t key_bytes, std::uint64_t key_count, int digit_count) const;

    /// Counts keys by the children of a tree's nodes: bytes / read, or the levels that all keys go
    /// down in step, whichever is longer. \param depth digits of the deepest node's children
    [[nodiscard]] KernelCost
    tree_histogram(std::size_t key_bytes, std::uint64_t key_count, int depth) const;

    /// Moves keys to the rooms of their digits, in any order: max(bytes / step, conflict * keys of
    /// a warp that meet on one counter). The run of a digit in a tile begins and ends inside of
    /// lines of 128 bytes, whose other parts are written when other tiles come to them, so that
    /// each run of keys, and each of values, writes a line more than it fills: runs of half the
    /// length, twice as many lines. (On an H100 9 bits take 1.22 to 1.29 times as long as 8.) Two
    /// keys of a warp of 32 meet with the concentration c, so that 1 + 31 c of them meet; warps 8
    /// or more of whose first keys have one digit add them up before their atomics, and memory is
    /// what remains. Runs that are longer than a page of the memory come the nearer to a copy's
    /// rate: each breaks off one page, however long it is. A value waits until the place of its key
    /// is known. \param tile_keys of a block: those of a step by digits, unless given
    [[nodiscard]] KernelCost unstable_step(RecordBytes record,
                                           std::uint64_t key_count,
                                           BlockSpread const& spread,
                                           std::uint64_t tile_keys) const;
    [[nodiscard]] KernelCost
    unstable_step(RecordBytes record, std::uint64_t key_count, BlockSpread const& spread) const {
        return unstable_step(record, key_count, spread, unstable_tile_keys(record));
    }

    /// The same for digits that are spread evenly. \param bits of the digit
    [[nodiscard]] KernelCost
    unstable_step(RecordBytes record, std::uint64_t key_count, int bits) const;

    /// The same where ranges of images are separated: besides the step, each key's range is looked
    /// for in shared memory and kept there.
    [[nodiscard]] KernelCost
    range_step(RecordBytes record, std::uint64_t key_count, BlockSpread const& spread) const;

    /// Keeps the order of equal digits. Keys alone take as long as the ranks of their digits; with
    /// values, memory is what a step waits for: (bytes + lines that runs share) / step.
    /// \param bits of the digit: 8, whatever fewer it has, or 9
    [[nodiscard]] KernelCost
    stable_step(RecordBytes record, std::uint64_t key_count, int bits = step_bits) const;

    /// Sorts 32-bit keys by their low 15 bits. A block clears and sums 2^15 counters for each
    /// stretch of keys that agree in all other bits, however few there are.
    [[nodiscard]] KernelCost counting_sort(std::uint64_t key_count,
                                           std::uint64_t stretch_count) const;

    /// Sorts 32-bit keys of stretches of any number of keys by their low 15 bits: a kernel counts
    /// tiles, a second one writes what was counted. The counters of a tile take so much shared
    /// memory that half as many threads as a histogram has ask for keys at once.
    [[nodiscard]] KernelCost count_stretches(std::uint64_t key_count,
                                             std::uint64_t tile_count) const;

    /// Turns keys into images or back, in place.
    [[nodiscard]] KernelCost change_images(std::size_t key_bytes, std::uint64_t key_count) const;

    /// Finds keys' places between splitters by walks down their tree, and writes a label of a byte
    /// for each, which the step reads again. What a level costs is turns of a warp that reads
    /// several nodes at once; keys on one path read the same.
    /// \param bits levels of the tree \param concentration of the keys in their buckets
    [[nodiscard]] KernelCost
    label(std::size_t key_bytes, std::uint64_t key_count, int bits, double concentration) const;

    /// Sorts stretches that shared memory holds by bins: bytes / copy + a cost for each key. Where
    /// equal ones keep their order, the place that a key came from is brought in order as well:
    /// half as much again where one word of 8 bytes holds both, twice as much where it does not.
    [[nodiscard]] KernelCost leaf_bins(RecordBytes record,
                                       std::uint64_t key_count,
                                       Stability ties = Stability::unstable) const;

    /// The same by merges; keys of 16 bytes at twice the cost of 8.
    [[nodiscard]] KernelCost
    leaf_sort(std::size_t key_bytes, std::size_t value_bytes, std::uint64_t key_count) const;

    /// A level of sample sort as published: keys are counted by tiles of 2,048, the table of counts
    /// (4 bytes for each way and tile) is written, summed and read, and keys are moved by a second
    /// walk, their tiles not in order. \param bits levels of the tree
    [[nodiscard]] KernelCost direct_step(std::size_t key_bytes,
                                         std::size_t value_bytes,
                                         std::uint64_t key_count,
                                         int bits) const;

    /// Leaves as published, of about `leaf_keys` each, a block of 256 threads a leaf: quicksort
    /// halves them down to 2,048 keys, for which it reads each key twice, and Batcher's network
    /// sorts the rest, padded to powers of two, half as many comparators as keys a stage. Both take
    /// rounds in which every thread has a key or a comparator. Many blocks on a multiprocessor hide
    /// each other's waits, so that the words that they touch count; few leaves take as long as the
    /// largest one, whose rounds follow each other.
    [[nodiscard]] KernelCost quicksort(std::size_t key_bytes,
                                       std::size_t value_bytes,
                                       std::uint64_t key_count,
                                       std::uint64_t leaf_keys) const;

    /// Copies within the GPU's memory.
    [[nodiscard]] KernelCost copy(std::uint64_t size_bytes) const;

    /// Writes so many bytes: what a copy of half as many reads and writes.
    [[nodiscard]] KernelCost fill(std::uint64_t size_bytes) const;

  private:
    [[nodiscard]] KernelCost busy(double seconds) const;

    DeviceProfile const& profile_;
};

} // namespace keyswap::simulator
