#pragma once

/// \file Options of `keyswap sort`, and its three ways to sort: in memory, rows of a table, and
/// files of any size.

#include "model/key_files/key_file.hpp"
#include "tools/backends/gpu_sort.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/record_arguments.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/output/command_files.hpp"
#include "tools/ranks/rank_run.hpp"
#include "tools/text/plan_account.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

struct SortCommand : SortFiles {
    SortArguments sort;
    std::vector<std::string> more_inputs; ///< files after the first
    BackendChoice runs_on;
    std::optional<std::string> values_file; ///< file name of --values, if it names a file
    bool unstable = false;
    bool with_rows = false;
    std::optional<std::string> by;             ///< key columns of rows
    std::optional<std::string> schema;         ///< types of their columns
    std::optional<std::uint64_t> memory;       ///< bytes; by default half of what is available
    std::optional<std::uint64_t> gpu_memory;   ///< bytes per GPU; by default all free memory
    std::optional<std::string> scratch;        ///< a folder; by default next to the output
    std::optional<std::uint64_t> output_parts; ///< number of equal output files; 1 if absent
    RecordArguments records;
    AccountDetail detail;
    Existing existing = Existing::keep;
    bool json = false;
    CLI::App const* command = nullptr; ///< must outlive the run

    /// All input files. \pre the first is given
    [[nodiscard]] std::vector<std::string> inputs() const {
        std::vector<std::string> all{*sort.input};
        all.insert(all.end(), more_inputs.begin(), more_inputs.end());
        return all;
    }
    [[nodiscard]] CommandFiles files() const {
        CommandFiles files{named_files("--input", more_inputs),
                           {{"--output", output, with_rows},
                            {"--output-values", output_values},
                            {"--record", record, true}},
                           json ? "--json" : "",
                           existing};
        files.read.push_back({"--input", sort.input});
        files.read.push_back({"--values", values_file});
        return files;
    }
};

/// Returns an error if options contradict each other, for sorts in memory and by ranks.
[[nodiscard]] Expected<void> check_conflicts(SortCommand const& options);

/// Opens the file of keys, which defines their type; null if keys are generated.
[[nodiscard]] Expected<std::unique_ptr<model::KeyFileReader>> open_keys(SortRequest const& request);

/// Sorts with the model, on CPU cores or on GPUs.
[[nodiscard]] Expected<ExitCode> sort_in_memory(SortCommand const& options);

/// `keyswap sort --with-rows`: sorts the rows of a CSV or .npy table by some of its columns, writes
/// them unchanged, and checks them.
/// \pre input, output and key columns are given
[[nodiscard]] Expected<ExitCode> sort_table(SortCommand const& options);

/// `keyswap sort --memory`: files that are larger than memory, and files of records. \pre the first
/// input is given
[[nodiscard]] Expected<ExitCode> sort_larger_than_memory(SortCommand const& options);

/// True if a sort in memory would be refused because the file has too many keys.
/// \param bytes_per_byte memory of such a sort per byte of keys
[[nodiscard]] bool exceeds_memory(std::string const& path, std::uint64_t bytes_per_byte);

} // namespace keyswap::tools
