#pragma once

/// \file What a file may ask for. A few bytes can claim any size, so that each kind of claim has a
/// limit, and each limit an option of the program that raises it for a file that can be trusted.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

enum class Limit {
    memory, ///< bytes that what is read from one file may take
    keys,   ///< keys that are made again for a trace
    gpus,   ///< GPUs, and CPUs, of a machine
    links,  ///< links, switches and other parts of a machine
    depth,  ///< values within each other
    wait    ///< seconds without a writer to a named pipe
};

struct LimitInfo {
    Limit limit;
    std::string_view option;
    std::uint64_t default_value;  ///< if the option is absent
    std::uint64_t most;           ///< more would break the program itself
    std::string_view description; ///< for the help
};

/// The table of all limits, in the order of the enumeration.
[[nodiscard]] std::span<LimitInfo const> input_limits();
[[nodiscard]] LimitInfo const& limit_info(Limit limit);

/// What holds in this run of the program. Like the arguments it is set once, before any file is
/// read, and has no part in what is computed from a file that was read.
[[nodiscard]] std::uint64_t limit_of(Limit limit);
/// \return an error that names the option, where `value` is more than the program can bear
[[nodiscard]] Expected<void> set_limit(Limit limit, std::uint64_t value);
/// Resets all limits to their defaults.
void reset_limits();

/// The refusal of what lies beyond a limit, in words that name its option and its value.
/// \param claim what was found, such as "has 30000 GPUs"
[[nodiscard]] InputError beyond_limit(Limit limit, std::string subject, std::string claim);

} // namespace keyswap
