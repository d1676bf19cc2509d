#pragma once

/// \file Real faults for the conformance test to find. A build with the option
/// KEYSWAP_DEVICE_FAULTS, which is for tests only and cannot be installed, contains all of them;
/// one can be activated. In all other builds has_fault() is constexpr false, and the compiler
/// removes their code.

#include "traces/records/operation.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace keyswap::kernels {

enum class DeviceFault : std::uint32_t {
    none,
    lost_atomics,
    missing_barrier,
    skipped_tail,
    narrow_key,
    narrow_counter,
    lost_carry,
    border_off_by_one,
    tolerance_ignored,
    minus_zero,
    nan_sign,
    histogram_not_awaited,
    rows_swapped,
    part_not_brought_back,
    swap_too_early,
    sort_too_early,
    wrong_destination,
    wrong_buffer,
    values_left_behind,
    one_bit_too_few,
    last_key_not_sorted,
    descending_forgotten,
    unstable_pairs,
    segment_tail_skipped,
    own_part_left,
    filled_part_left,
    stayed_part_from_input,
    round_not_awaited,
    upload_piece_not_awaited,
    short_exchange,
    host_merge_too_early,
    piece_not_awaited,
    room_not_taken,
    narrow_stretch,
    stretch_sums_lost,
    fill_begins_at_zero,
    range_off_by_one,
    node_sum_lost,
    arrived_part_left,
    vote_lane_alias,
    ragged_tail_bucket,
    packed_byte_overflow,
    window_base_stale,
    scan_inclusive,
    table_transposed,
    tile_reused_too_early,
    label_cut_to_bits,
    division_off_by_one,
    clamp_missing,
    lookback_flag_early,
    tiles_out_of_order,
    values_by_other_rank,
    starts_not_scanned,
    slice_carry_lost,
    split_count_swapped,
    bucket_to_next_gpu,
    piece_head_lost,
    piece_tail_lost,
    tie_right,
    tree_level_skipped,
    splitter_off_by_one,
    sample_not_sorted,
    equality_lost,
    sample_index_narrow,
    labels_stale,
    segment_start_stale,
    leaf_above_capacity,
    size_class_off_by_one,
    level_from_other_buffer,
    last_digit_left,
    level_reads_digit_again,
    split_ranks_inclusive,
    split_thread_sums_lost,
    split_bit_left_out,
    comparators_left_out,
    odd_run_dropped,
    bin_ties_collide,
    crowded_leaf_left,
    row_border_left,
    leaf_ties_by_place,
    leading_carry_lost
};

#if defined(KEYSWAP_DEVICE_FAULTS)

/// A fault and its name.
struct NamedFault {
    DeviceFault fault;
    std::string_view name;                 ///< "lost-atomics"
    std::string_view description;          ///< effect of the fault on the code
    Operation operation = Operation::sort; ///< the operation whose random cases reveal it
    bool one_gpu = false;                  ///< only cases in which one GPU alone sorts many keys
};

/// All faults of this build.
[[nodiscard]] std::span<NamedFault const> named_faults();

/// Activates a fault for the rest of the process. \pre no sort has run
void plant_fault(DeviceFault fault);

[[nodiscard]] bool has_fault(DeviceFault fault);

#else

[[nodiscard]] constexpr bool has_fault(DeviceFault /*fault*/) {
    return false;
}

#endif

} // namespace keyswap::kernels
