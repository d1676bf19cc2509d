#pragma once

/// \file Trace headers and files of commands other than sorts.

#include "tools/options/sort_request.hpp"
#include "traces/format/trace_writer.hpp"
#include "traces/records/records.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace keyswap::tools {

/// The header of a reference run on the CPU, without its input.
/// \param variant name of the method
[[nodiscard]] RunHeader operation_header(Operation operation, std::string variant);

/// The header of a reference run on keys. \param content digest of all keys
[[nodiscard]] RunHeader operation_header(Operation operation,
                                         std::string variant,
                                         SortRequest const& request,
                                         MultisetDigest const& content);

/// Opens the file of --record before any work is done; nullopt if none is given.
/// Returns an error if the keys could not be read again for verification.
/// \param input file of keys as given by the user, if any
[[nodiscard]] Expected<std::optional<TraceWriter>>
open_trace(std::optional<std::string> const& path, std::optional<std::string> const& input);

} // namespace keyswap::tools
