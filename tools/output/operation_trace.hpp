#pragma once

/// \file How the commands that are not sorts record themselves.

#include "tools/options/sort_request.hpp"
#include "traces/format/trace_writer.hpp"
#include "traces/records/records.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace keyswap::tools {

/// The header of a run of the reference on the CPU. Where its input came from is the caller's.
/// \param variant the method
[[nodiscard]] RunHeader operation_header(Operation operation, std::string variant);

/// The same, of a run on keys. \param content digest of all of them
[[nodiscard]] RunHeader operation_header(Operation operation,
                                         std::string variant,
                                         SortRequest const& request,
                                         MultisetDigest const& content);

/// Opens the file that --record names, before any work is done; nullopt if none is named.
/// Refuses to record keys that cannot be read again.
/// \param input as the user named it, where keys are read
[[nodiscard]] Expected<std::optional<TraceWriter>>
open_trace(std::optional<std::string> const& path, std::optional<std::string> const& input);

} // namespace keyswap::tools
