#pragma once

/// \file --backend of operations that are no sorts: the reference, or this machine's first GPU.

#include "traces/errors/input_error.hpp"
#include "traces/records/records.hpp"

#include <optional>
#include <string>

namespace keyswap::tools {

/// Nothing for "cpu"; for "cuda" the device and the driver of the first GPU, as a header has them.
[[nodiscard]] Expected<std::optional<RunHeader>> gpu_of_backend(std::string const& backend);

/// Says in the header of a run of the reference that the GPU ran it, if any.
void tell_gpu(RunHeader& header, std::optional<RunHeader> const& gpu);

} // namespace keyswap::tools
