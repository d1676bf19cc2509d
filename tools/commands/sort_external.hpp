#pragma once

/// \file `keyswap sort --memory`: sorts files larger than memory, and files of records.

#include "tools/backends/gpu_sort.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/algorithm_options.hpp"
#include "tools/options/record_arguments.hpp"
#include "tools/output/command_files.hpp"
#include "tools/ranks/rank_start.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// GPUs that sort the ranges; options as the user gave them.
struct ExternalGpus {
    GpuChoice choice;
    std::optional<std::uint32_t> count;
    AlgorithmOptions algorithm;
    std::optional<std::uint64_t> memory; ///< bytes per GPU; nullopt: the free memory
};

/// Options as the user gave them.
struct ExternalSort {
    std::vector<std::string> inputs; ///< at least one; concatenated
    std::optional<std::string> format;
    std::optional<std::string> column;
    std::optional<std::string> type;
    std::string direction = "ascending";
    RecordArguments records;
    std::optional<std::uint64_t> memory; ///< bytes; nullopt: half of the available memory
    std::optional<std::string> scratch;  ///< folder; nullopt: next to the output
    std::optional<std::string> output;
    std::optional<std::string> output_format;
    std::optional<std::uint64_t> output_parts; ///< number of equal parts; nullopt: one file
    std::optional<unsigned> threads;           ///< nullopt: one per core
    std::optional<ExternalGpus> gpus;          ///< nullopt: CPU cores sort the ranges
    RankChoice ranks;                          ///< default: none, a single process
    CommandFiles files;
    bool json = false;
    std::optional<std::string> record; ///< trace file
};

[[nodiscard]] Expected<ExitCode> sort_larger_than_memory(ExternalSort const& sort);

/// True if an in-memory sort would refuse the file's keys.
/// \param bytes_per_byte memory of such a sort per byte of keys
[[nodiscard]] bool exceeds_memory(std::string const& path, std::uint64_t bytes_per_byte);

} // namespace keyswap::tools
