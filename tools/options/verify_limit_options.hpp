#pragma once

#include "model/verify/verify_limits.hpp"
#include "tools/options/number_option.hpp"

namespace keyswap::tools {

/// Adds the options that raise what a trace may ask of the program that verifies it.
/// \param limits set while the arguments are parsed; outlives `command`'s parsing
inline void add_verify_limit_options(CLI::App& command, conformance::VerifyLimits& limits) {
    add_count_option(command,
                     "--memory-limit",
                     limits.memory_bytes,
                     "Bytes that a trace's records, and keys that have to be held, may take");
    add_count_option(
        command, "--key-limit", limits.keys_made_max, "Keys that may be made again for a trace");
    command.add_flag("--records-only",
                     limits.records_only,
                     "Compare a trace's records with each other alone, without its keys");
}

} // namespace keyswap::tools
