#pragma once

/// \file `keyswap whatif --partition`: which way to multisplit, by number of buckets and device.

#include "tools/build/exit_code.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

struct PartitionOptions {
    bool asked = false;
    std::vector<std::string> devices{"h200"};
    std::vector<std::uint32_t> buckets{2, 4, 8, 16, 32, 64, 128, 256};
    std::string rule = "digit";
};

/// What it takes from the options of all questions.
struct PartitionKeys {
    std::vector<std::string> counts;
    std::vector<std::string> key_types;
    std::string value_type;
    std::vector<std::string> distributions;
    bool json = false;
};

/// \return the flag, which excludes the options that only sorts have
CLI::Option* add_partition_options(CLI::App& command, PartitionOptions& options);

/// Prints a row for each device, number and type of keys, distribution and number of buckets.
[[nodiscard]] Expected<ExitCode> run_partition_question(PartitionOptions const& options,
                                                        PartitionKeys const& keys);

} // namespace keyswap::tools
