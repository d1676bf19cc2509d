#pragma once

/// \file Costs of kernels and copies on one GPU model: a few constants, each with unit and origin;
/// none is specific to a row, a set of GPUs or a distribution. cost_model.hpp turns them into
/// times. Link bandwidths are not included: they are in the platform file.

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

/// Constants that depend on the key width, in picoseconds per key on a GPU without other work.
struct KeyWidthCosts {
    double histogram_ps = 0.0;        ///< reads a key and counts its digit
    double scatter_row_ps = 0.0;      ///< moves a key if every row of 32 written keys is full
    double scatter_conflict_ps = 0.0; ///< added, times the block's digit concentration
    double sort_base_ps = 0.0;        ///< once per sort: counting all digits at the start
    double sort_pass_ps = 0.0;        ///< per radix pass
    double merge_ps = 0.0;            ///< per key of output of a two-way merge
};

/// Costs of our kernels for RMG sort's variant `fast` and for sample sort (kernels/README.md):
/// rates of moving bytes, and ranking costs where ranking is slower. fast_cost.hpp turns them into
/// times.
struct FastCosts {
    double read_GBps = 0.0;           ///< counting kernels: keys read
    double step_GBps = 0.0;           ///< unstable step: read + written, in whole lines
    double count_ps = 0.0;            ///< per key and digit counted of a bucket
    double conflict_ps = 0.0;         ///< unstable step: per key and key of its warp on a counter
    double step_value_ps = 0.0;       ///< unstable step: per value, wait for its key's rank
    double range_label_ps = 0.0;      ///< step by image ranges: per key, to find its range
    double stable_step32_ps = 0.0;    ///< stable step: per key of 32 bits
    double stable_step64_ps = 0.0;    ///< likewise, 64 bits
    double counting_ps = 0.0;         ///< per key sorted by counting its low 15 bits
    double counting_stretch_ns = 0.0; ///< added per 2^15 adjacent images: their counters
    double label_ps = 0.0;            ///< per key: label between splitters, written and read
    double walk_ps = 0.0;             ///< added per level of the splitter tree
    double leaf32_ps = 0.0;           ///< leaf sort in shared memory: per key of 32 bits
    double leaf64_ps = 0.0;           ///< likewise, 64 bits
    double leaf_value_byte_ps = 0.0;  ///< added per byte of value
    double leaf_bin_ps = 0.0;         ///< leaf sort by bins: per key of any width
    double quicksort_round_ns = 0.0;  ///< 256 threads alone: a key or comparator each
    double quicksort_word_ps = 0.0;   ///< per word and thread, all multiprocessors busy
    double launch_us = 0.0;           ///< kernel that follows another in its stream
    double plan_us = 0.0;             ///< per pass: collect histograms, place, to the host and back
    double plan_tree_us = 0.0;        ///< added if a digit tree is counted: host work
};

/// Costs of one GPU model. `origins` maps each constant's name in the file to its origin.
struct DeviceProfile {
    std::string name;
    std::string description;
    KeyWidthCosts key32;
    KeyWidthCosts key64;
    double sort_pass_bits = 8.0; ///< most bits per radix pass of the library sort
    /// Per key and pass of the library sort if no two keys of a block share a digit: they wait for
    /// each other's banks of shared memory. 0: not known.
    double sort_conflict_ps = 0.0;
    double sort_lag = 0.0; ///< part of concurrent bucket sorts' time before the first ends
    double histogram_launch_us = 0.0; ///< per bucket and GPU
    double scatter_launch_us = 0.0;   ///< per bucket and GPU
    /// Host thread of the published program, which handles all GPUs of a bucket before the next
    /// bucket: time per bucket and GPU, in parallel with the kernels it launched.
    double histogram_queue_us = 0.0;
    double scatter_queue_us = 0.0; ///< likewise, with the scatter's write offsets
    /// Host time of a CUDA call of our programs: launches, clears, events and queued copies.
    double host_call_us = 0.0;
    double sort_launch_us = 0.0;      ///< least time of a sort
    double merge_launch_us = 0.0;     ///< least time of a merge, including pivot selection
    double host_copy_launch_us = 0.0; ///< copy between host and GPU
    double peer_copy_launch_us = 0.0; ///< copy between or within GPUs
    double swap_launch_us = 0.0;      ///< per key swap: threads synchronize, streams are prepared
    double local_copy_GBps = 0.0;     ///< bytes copied within HBM, each read and written
    double plan_base_us = 0.0;        ///< host work of the first pass, besides its scatter
    double plan_gpu_us = 0.0;         ///< added per GPU
    double replan_gpu_us = 0.0;       ///< host work of each later pass, per GPU
    /// An idle GPU starts at low clocks and needs this time to reach full ones. Until then,
    /// durations are multiplied by the factors below; 1 = independent of the clocks.
    double warm_up_ms = 0.0;
    double cold_memory = 1.0;    ///< memory-bound kernels: histogram, rows of the scatter
    double cold_compute = 1.0;   ///< clock-bound kernels: atomics, sort, merge
    double cold_to_device = 1.0; ///< lone rate of a copy, likewise below
    double cold_to_host = 1.0;
    double cold_peer_copy = 1.0;
    std::optional<FastCosts> fast; ///< nullopt if not measured
    std::map<std::string, std::string> origins;

    /// \pre key_bytes is 4, 8 or 16; costs of 16 are twice those of 8, an estimate rather than a
    /// measurement
    [[nodiscard]] KeyWidthCosts width(std::size_t key_bytes) const;
};

/// Pointers to all constants of `profile`, in the file's order.
[[nodiscard]] std::vector<ProfileConstant> constants_of(DeviceProfile& profile);

/// Parses a profile: name, description, and per constant a table with `value = "3.9 ps/key"` and
/// `origin`. \param file name for messages
/// \return an error naming the constant that is missing, has the wrong unit, is negative or has no
/// origin
[[nodiscard]] Expected<DeviceProfile> parse_device_profile(std::string_view text,
                                                           std::string_view file);

/// Serializes the profile; parse_device_profile() reads back an equal one.
[[nodiscard]] std::string write_device_profile(DeviceProfile const& profile);

/// Loads a shipped profile by name ("a100"), a profile scaled by data sheets ("L40S", or four
/// numbers; see gpu_sheet.hpp), or a file, by its path.
[[nodiscard]] Expected<DeviceProfile> load_device_profile(std::string_view name_or_path);

} // namespace keyswap::simulator
