#pragma once

/// \file `keyswap sort --memory`: files that are larger than memory, and files of records.

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

/// GPUs that sort the ranges, as the user gave them.
struct ExternalGpus {
    GpuChoice choice;
    std::optional<std::uint32_t> count;
    AlgorithmOptions algorithm;
    std::optional<std::uint64_t> memory; ///< bytes a GPU; by default what is free
};

/// As the user gave it.
struct ExternalSort {
    std::vector<std::string> inputs; ///< at least one; sorted as one
    std::optional<std::string> format;
    std::optional<std::string> column;
    std::optional<std::string> type;
    std::string direction = "ascending";
    RecordArguments records;
    std::optional<std::uint64_t> memory; ///< bytes; by default half of what is available
    std::optional<std::string> scratch;  ///< a folder; by default next to the output
    std::optional<std::string> output;
    std::optional<std::string> output_format;
    std::optional<std::uint64_t> output_parts; ///< files of equal parts; by default one of all
    std::optional<unsigned> threads;           ///< none: one a core
    std::optional<ExternalGpus> gpus;          ///< none: cores sort
    RankChoice ranks;                          ///< by default none: this process sorts
    CommandFiles files;
    bool json = false;
    std::optional<std::string> record; ///< a trace of the sort
};

[[nodiscard]] Expected<ExitCode> sort_larger_than_memory(ExternalSort const& sort);

/// Whether a file's keys are so many that a sort in memory would be refused.
/// \param bytes_per_byte that such a sort takes for each byte of keys
[[nodiscard]] bool exceeds_memory(std::string const& path, std::uint64_t bytes_per_byte);

} // namespace keyswap::tools
