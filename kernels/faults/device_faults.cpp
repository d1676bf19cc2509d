#include "kernels/faults/device_faults.hpp"

#include <array>
#include <atomic>

namespace keyswap::kernels {

namespace {

constexpr std::array all_faults{
    NamedFault{DeviceFault::lost_atomics,
               "lost-atomics",
               "a histogram's counters are raised without atomics"},
    NamedFault{DeviceFault::missing_barrier,
               "missing-barrier",
               "a block adds up its counters before all of its threads have counted"},
    NamedFault{DeviceFault::skipped_tail,
               "skipped-tail",
               "a histogram leaves out the keys after the last whole 16 bytes"},
    NamedFault{DeviceFault::narrow_key,
               "narrow-key",
               "a digit is taken from the lower 32 bits of a 64-bit key"},
    NamedFault{DeviceFault::narrow_counter,
               "narrow-counter",
               "a block's counters have 10 bits and overflow"},
    NamedFault{DeviceFault::lost_carry,
               "lost-carry",
               "the prefix sum over more than 1024 digits starts anew after each 1024"},
    NamedFault{DeviceFault::border_off_by_one,
               "border-off-by-one",
               "a bucket that ends exactly at a border is taken to cross it"},
    NamedFault{DeviceFault::tolerance_ignored,
               "tolerance-ignored",
               "a bucket that overhangs a border by less than the tolerance is refined"},
    NamedFault{DeviceFault::minus_zero, "minus-zero", "-0.0 becomes +0.0"},
    NamedFault{DeviceFault::nan_sign, "nan-sign", "a negative NaN becomes a positive one"},
    NamedFault{DeviceFault::histogram_not_awaited,
               "histogram-not-awaited",
               "buckets are placed by rows of the pass or sort before"},
    NamedFault{DeviceFault::rows_swapped,
               "rows-swapped",
               "histograms are gathered under the number of the next GPU"},
    NamedFault{DeviceFault::part_not_brought_back,
               "part-not-brought-back",
               "a part that was scattered into the other buffer stays there"},
    NamedFault{DeviceFault::swap_too_early,
               "swap-too-early",
               "the swap does not wait until its destinations have stopped scattering"},
    NamedFault{DeviceFault::sort_too_early,
               "sort-too-early",
               "buckets are sorted before all of their keys have come"},
    NamedFault{
        DeviceFault::wrong_destination, "wrong-destination", "keys are sent to the next GPU"},
    NamedFault{
        DeviceFault::wrong_buffer, "wrong-buffer", "keys arrive in the destination's other buffer"},
    NamedFault{DeviceFault::values_left_behind, "values-left-behind", "the swap moves keys alone"},
    NamedFault{DeviceFault::one_bit_too_few,
               "one-bit-too-few",
               "the highest bit of a range is not sorted"},
    NamedFault{DeviceFault::last_key_not_sorted,
               "last-key-not-sorted",
               "the last key of a range is left out of its sort"},
    NamedFault{DeviceFault::descending_forgotten,
               "descending-forgotten",
               "images of a descending order are decoded as of an ascending one"},
    NamedFault{DeviceFault::unstable_pairs,
               "unstable-pairs",
               "variant fast takes the pieces of a bucket in descending order of sources"},
    NamedFault{DeviceFault::segment_tail_skipped,
               "segment-tail-skipped",
               "variant fast leaves the last keys of a tile out of its counts"},
    NamedFault{DeviceFault::own_part_left,
               "own-part-left",
               "variant fast does not move the keys that stay on their GPU"},
    NamedFault{DeviceFault::round_not_awaited,
               "round-not-awaited",
               "variant fast sorts a round before its keys have come"},
    NamedFault{
        DeviceFault::short_exchange, "short-exchange", "P2P merge sort exchanges one key too few"},
    NamedFault{DeviceFault::host_merge_too_early,
               "host-merge-too-early",
               "HET merge sort merges before the chunks have come to the host"},
    NamedFault{DeviceFault::room_not_taken,
               "room-not-taken",
               "tiles of an unstable step do not take room for their keys by an atomic"},
    NamedFault{DeviceFault::narrow_stretch,
               "narrow-stretch",
               "the counting sort counts any number of keys in 16 bits"}};

std::atomic<DeviceFault> planted{DeviceFault::none};

} // namespace

std::span<NamedFault const> named_faults() {
    return all_faults;
}

void plant_fault(DeviceFault fault) {
    planted = fault;
}

bool has_fault(DeviceFault fault) {
    return planted.load(std::memory_order_relaxed) == fault;
}

} // namespace keyswap::kernels
