#pragma once

/// \file What the kernels and copies of one kind of GPU cost: few constants, each with its unit and
/// origin, none of which belongs to a row, a set of GPUs or a distribution. cost_model.hpp says how
/// they make times. Bandwidths of links are not part of it: they stand in the platform file.

#include "simulator/cost/profile_constants.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Constants that depend on the width of a key, in picoseconds a key of a GPU that works alone.
struct KeyWidthCosts {
    double histogram_ps = 0.0;        ///< read a key and count its digit
    double scatter_row_ps = 0.0;      ///< move a key where every written row of 32 keys is full
    double scatter_conflict_ps = 0.0; ///< added, times the concentration of digits in a block
    double sort_base_ps = 0.0;        ///< once a sort (counting all digits at the start)
    double sort_pass_ps = 0.0;        ///< a radix pass of the sort
    double merge_ps = 0.0;            ///< a key of the output of a two-way merge
};

/// What the kernels of RMG sort's variant `fast` and of sample sort cost (kernels/README.md): rates
/// at which they move bytes, and costs of ranking where that is slower. fast_cost.hpp says how they
/// make times.
struct FastCosts {
    double read_GBps = 0.0;           ///< of keys that are counted
    double step_GBps = 0.0;           ///< read and written by an unstable step, whole lines
    double count_ps = 0.0;            ///< added to the read for each digit of a bucket's key
    double conflict_ps = 0.0;         ///< of a step, a key, for each key of a warp on one counter
    double step_value_ps = 0.0;       ///< of a step, a value's wait for the place of its key
    double range_label_ps = 0.0;      ///< of a step by ranges of images, a key: which one it is in
    double stable_step32_ps = 0.0;    ///< a stable step moves a key of 32 bits
    double stable_step64_ps = 0.0;    ///< the same, of 64 bits
    double counting_ps = 0.0;         ///< a key's low 15 bits are sorted by counting
    double counting_stretch_ns = 0.0; ///< added for each 2^15 neighbouring images: their counters
    double label_ps = 0.0;            ///< a key's place between splitters, written and read
    double walk_ps = 0.0;             ///< added for each level of their tree
    double leaf32_ps = 0.0;           ///< a key of 32 bits is sorted in shared memory
    double leaf64_ps = 0.0;           ///< the same, of 64 bits
    double leaf_value_byte_ps = 0.0;  ///< added to both for each byte of a value
    double leaf_bin_ps = 0.0;         ///< a key of any width finds its place in a leaf by bins
    double quicksort_round_ns = 0.0;  ///< 256 threads, alone, handle a key or comparator each
    double quicksort_word_ps = 0.0;   ///< the same of one word, all multiprocessors busy, a thread
    double launch_us = 0.0;           ///< a kernel behind another of its stream
    double plan_us = 0.0; ///< once a pass: histograms meet, placement, its way to the host and back
    double plan_tree_us = 0.0; ///< added where a digit tree is counted: the host's work for it
};

/// Costs of one kind of GPU. Origins are kept by the constant's name as in the file.
struct DeviceProfile {
    std::string name;
    std::string description;
    KeyWidthCosts key32;
    KeyWidthCosts key64;
    double sort_pass_bits = 8.0; ///< bits that one radix pass of the sort takes at most
    double sort_lag = 0.0;       ///< part of the bucket sorts' joint time before the first ends
    double histogram_launch_us = 0.0; ///< once a bucket and GPU
    double scatter_launch_us = 0.0;   ///< once a bucket and GPU
    /// Of the published program's host thread, which goes through all GPUs for a bucket before it
    /// comes to the next bucket: once a bucket and GPU, beside the kernels that it started.
    double histogram_queue_us = 0.0;
    double scatter_queue_us = 0.0;    ///< the same; with the places that a scatter writes to
    double sort_launch_us = 0.0;      ///< least time of a sort
    double merge_launch_us = 0.0;     ///< least time of a merge, choice of the pivot included
    double host_copy_launch_us = 0.0; ///< of a copy between host and GPU
    double peer_copy_launch_us = 0.0; ///< of a copy between or within GPUs
    double swap_launch_us = 0.0;      ///< once a key swap: threads meet, streams are made ready
    double local_copy_GBps = 0.0; ///< bytes copied within the GPU's memory, each read and written
    double plan_base_us = 0.0;    ///< host work of the first pass, beside its scatter
    double plan_gpu_us = 0.0;     ///< the same, for each GPU
    double replan_gpu_us = 0.0;   ///< host work of every later pass, for each GPU
    /// A GPU that comes from idling runs at its low clocks for a while. The factors say how many
    /// times as long things take until then; 1 where the clocks do not matter.
    double warm_up_ms = 0.0;
    double cold_memory = 1.0;    ///< kernels bound by memory: histogram, rows of the scatter
    double cold_compute = 1.0;   ///< kernels bound by the clock: atomics, sort, merge
    double cold_to_device = 1.0; ///< the rate that a copy reaches alone
    double cold_to_host = 1.0;
    double cold_peer_copy = 1.0;
    std::optional<FastCosts> fast; ///< absent where nobody has measured them
    std::map<std::string, std::string> origins;

    /// \pre key_bytes is 4, 8 or 16; of 16 the costs are twice those of 8, which is not a
    /// measurement
    [[nodiscard]] KeyWidthCosts width(std::size_t key_bytes) const;
};

/// All constants of a profile, in the file's order.
[[nodiscard]] std::vector<ProfileConstant> constants_of(DeviceProfile& profile);

/// Reads a profile: name, description, and a table a constant with `value = "3.9 ps/key"` and
/// `origin`. \param file name for messages
/// \return an error naming the constant that is missing, has another unit, is negative or has no
///         origin
[[nodiscard]] Expected<DeviceProfile> parse_device_profile(std::string_view text,
                                                           std::string_view file);

/// The text of a profile that reads back equal.
[[nodiscard]] std::string write_device_profile(DeviceProfile const& profile);

/// A shipped profile by name ("a100"), one in proportion to data sheets ("L40S", or four numbers;
/// see gpu_sheet.hpp), or a file's.
[[nodiscard]] Expected<DeviceProfile> load_device_profile(std::string_view name_or_path);

/// Names of the shipped profiles, ascending.
[[nodiscard]] std::vector<std::string> shipped_device_profiles();

} // namespace keyswap::simulator
