#pragma once

/// \file What a step left on a GPU, read back for a trace.

#include "kernels/multisplit/split_workspace.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// Waits for a step and reads what it left.
/// \param rule its own, of the keys' code
/// \param arrays, starts its own
[[nodiscard]] SplitRecords read_records(cudaStream_t stream,
                                        SplitWorkspace const& workspace,
                                        SplitArrays const& arrays,
                                        DeviceRule const& rule,
                                        std::uint64_t const* starts);

} // namespace keyswap::kernels
