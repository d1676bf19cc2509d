#pragma once

/// \file Rows of the measurement files that the authors of RMG sort published (hpides/rmg-sort,
/// Apache-2.0), and of the output of their program and of the merge sorts' program;
/// measurements/README.md describes the columns.

#include "traces/errors/input_error.hpp"
#include "traces/format/open_bytes.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// Milliseconds that one GPU spent in each phase of a run.
struct GpuPhases {
    double host_to_device_ms = 0;
    std::vector<double> histogram_ms; ///< [passes]
    std::vector<double> scatter_ms;   ///< [passes]
    double key_swap_ms = 0;           ///< always 0 on a single GPU
    double sort_ms = 0;               ///< includes the overlapped copy back, if any
    double device_to_host_ms = 0;
    friend bool operator==(GpuPhases const&, GpuPhases const&) = default;
};

/// Where a row was read, for errors: "dgx-a100.csv, row 7". Empty for rows not read from a file.
/// Compares equal to any other place, so that equality of rows ignores it.
struct MeasurementPlace {
    std::string text;
    friend bool operator==(MeasurementPlace const& /*a*/, MeasurementPlace const& /*b*/) {
        return true;
    }
};

/// One run. Fields are in column order.
struct Measurement {
    std::string device_name;
    std::uint32_t system_gpus = 0;
    std::string algorithm; ///< "radix-mgpu-sort", "thrust-sort", "gnu-parallel-sort" ...
    std::uint64_t key_count = 0;
    std::vector<int> gpus; ///< device numbers in the sort's order; empty for a CPU sort
    std::uint32_t cpu_threads = 0;
    std::string key_type;     ///< as published: "uint32"; input of parse_key_type()
    std::string distribution; ///< "uniform", "zipf" ...
    /// Zipf exponent or bits of entropy, 0 if neither applies; nullopt if the file does not say.
    std::optional<double> parameter;
    std::uint64_t chunk_size = 0;
    std::uint64_t thread_blocks = 0;
    double device_memory_mb = 0;   ///< of one GPU, in MB, despite the column's name
    double memory_overhead_mb = 0; ///< of one GPU beyond its keys, in MB
    double sort_overhead_mb = 0;   ///< memory for the bucket sort, in MB of one GPU
    std::uint32_t passes = 0;      ///< executed partitioning passes; RMG sort only
    std::vector<GpuPhases> phases; ///< [gpus]; empty for a CPU sort
    double total_ms = 0;           ///< host memory to host memory
    MeasurementPlace place;
    friend bool operator==(Measurement const&, Measurement const&) = default;
};

/// Reads a file of the published format, compressed or not, with or without a header line. Errors
/// name file, row (counted from 1, including the header line) and column.
[[nodiscard]] Expected<std::vector<Measurement>>
read_measurements(std::filesystem::path const& path);

/// As read_measurements(), from text in memory.
/// \param name file name, for errors
[[nodiscard]] Expected<std::vector<Measurement>> parse_measurements(std::string_view text,
                                                                    std::string const& name);

/// Names of the columns that parse_measurements() does not use and that no known program prints;
/// empty for a file without a header line.
[[nodiscard]] std::vector<std::string> unused_columns(std::string_view text);

/// True if the first line is a header line or a row that parse_measurements() accepts; reads no
/// further.
[[nodiscard]] bool looks_like_measurements(std::string_view text);

/// Writes an AtomicFile in the same format.
[[nodiscard]] Expected<void> write_measurements(std::filesystem::path const& path,
                                                std::span<Measurement const> measurements);

/// The text of write_measurements(). \pre no field has a quotation mark or a line break
[[nodiscard]] std::string measurements_text(std::span<Measurement const> measurements);

} // namespace keyswap
