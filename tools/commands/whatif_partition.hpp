#pragma once

/// \file `keyswap whatif --partition`: compares multisplit methods by bucket count and device.

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

/// Options shared with other modes of `keyswap whatif`.
struct PartitionKeys {
    std::vector<std::string> counts;
    std::vector<std::string> key_types;
    std::string value_type;
    std::vector<std::string> distributions;
    bool json = false;
};

/// \return the flag --partition, which excludes options for sorts only
CLI::Option* add_partition_options(CLI::App& command, PartitionOptions& options);

/// Prints one row for each combination of device, key count, key type, distribution and buckets.
[[nodiscard]] Expected<ExitCode> run_partition_question(PartitionOptions const& options,
                                                        PartitionKeys const& keys);

} // namespace keyswap::tools
