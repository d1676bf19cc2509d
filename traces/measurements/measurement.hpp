#pragma once

/// \file Rows of the measurement files that the authors of RMG sort published (hpides/rmg-sort,
/// Apache-2.0), and of what their program and that of the merge sorts print themselves;
/// measurements/README.md describes the columns.

#include "traces/errors/input_error.hpp"
#include "traces/format/byte_source.hpp"

#include <cstdint>
#include <filesystem>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// Milliseconds that one GPU spent in the phases of a run.
struct GpuPhases {
    double host_to_device_ms = 0;
    std::vector<double> histogram_ms; ///< [passes]
    std::vector<double> scatter_ms;   ///< [passes]
    double key_swap_ms = 0;           ///< on one GPU the place is there, and 0
    double sort_ms = 0;               ///< with the overlapped copy back, where there is one
    double device_to_host_ms = 0;
    friend bool operator==(GpuPhases const&, GpuPhases const&) = default;
};

/// Where a row was read, for errors about what it says: "dgx-a100.csv, row 7". Empty where the row
/// was made. Two rows that stand at different places are the same one otherwise.
struct MeasurementPlace {
    std::string text;
    friend bool operator==(MeasurementPlace const& /*a*/, MeasurementPlace const& /*b*/) {
        return true;
    }
};

/// One run. Fields stand in the order of the columns.
struct Measurement {
    std::string device_name;
    std::uint32_t system_gpus = 0;
    std::string algorithm; ///< "radix-mgpu-sort", "thrust-sort", "gnu-parallel-sort" ...
    std::uint64_t key_count = 0;
    std::vector<int> gpus; ///< device numbers in the sort's order; none for a CPU sort
    std::uint32_t cpu_threads = 0;
    std::string key_type;     ///< as published: "uint32"; parse_key_type() understands it
    std::string distribution; ///< "uniform", "zipf" ...
    double parameter = 0;     ///< Zipf exponent, bits of entropy; 0 where there is none
    std::uint64_t chunk_size = 0;
    std::uint64_t thread_blocks = 0;
    double device_memory_mb = 0;   ///< MB of a GPU, although the column is named otherwise
    double memory_overhead_mb = 0; ///< MB of a GPU beyond its keys
    double sort_overhead_mb = 0;   ///< MB of a GPU that the bucket sort needs
    std::uint32_t passes = 0;      ///< partitioning passes that ran; only of RMG sort
    std::vector<GpuPhases> phases; ///< [gpus]; none for a CPU sort
    double total_ms = 0;           ///< from host memory to host memory
    MeasurementPlace place;
    friend bool operator==(Measurement const&, Measurement const&) = default;
};

/// Reads a file of the published format, compressed or not, with or without its header line. Errors
/// name file, row (from 1, the header line included) and column.
[[nodiscard]] Expected<std::vector<Measurement>>
read_measurements(std::filesystem::path const& path);

/// As read_measurements(), from text in memory.
/// \param name what errors are about
[[nodiscard]] Expected<std::vector<Measurement>> parse_measurements(std::string_view text,
                                                                    std::string const& name);

/// Whether the text's first line is the header line or a row of a file that parse_measurements()
/// reads.
[[nodiscard]] bool looks_like_measurements(std::string_view text);

/// Writes a file of the same format, which appears when it is complete.
[[nodiscard]] Expected<void> write_measurements(std::filesystem::path const& path,
                                                std::span<Measurement const> measurements);

/// The text of write_measurements(). \pre no field has a quotation mark or a line break
[[nodiscard]] std::string measurements_text(std::span<Measurement const> measurements);

} // namespace keyswap
