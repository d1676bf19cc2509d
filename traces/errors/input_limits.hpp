#pragma once

/// \file Limits on what an input file may claim. A few bytes can claim any size, so every kind of
/// claim has a limit, and every limit has an option that raises it for trusted files.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

enum class Limit {
    memory, ///< bytes of memory for the content of one file
    keys,   ///< keys regenerated for a trace
    gpus,   ///< GPUs, or CPUs, of a machine
    links,  ///< links, switches and other parts of a machine
    depth,  ///< nesting depth of JSON, XML or TOML
    wait    ///< seconds to wait for the other end of a named pipe
};

struct LimitInfo {
    Limit limit;
    std::string_view name;        ///< of the setting
    std::uint64_t default_value;  ///< if the option is absent
    std::uint64_t most;           ///< upper bound of the option, from the program's design
    std::string_view description; ///< one line, for --help
};

/// The table of all limits, in the order of the enumeration.
[[nodiscard]] std::span<LimitInfo const> input_limits();
[[nodiscard]] LimitInfo const& limit_info(Limit limit);

/// The limit in force for this process. Set once, before any file is read; it decides only whether
/// a file is accepted, never a computed result.
[[nodiscard]] std::uint64_t limit_of(Limit limit);
/// \return an error that names the option if `value` exceeds LimitInfo::most
[[nodiscard]] Expected<void> set_limit(Limit limit, std::uint64_t value);
/// Resets all limits to their defaults.
void reset_limits();

/// The error for a file that exceeds a limit; names the option and its current value.
/// \param claim the offending value as a phrase, such as "has 30000 GPUs"
[[nodiscard]] InputError beyond_limit(Limit limit, std::string subject, std::string claim);

} // namespace keyswap
