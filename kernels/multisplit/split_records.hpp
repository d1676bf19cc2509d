#pragma once

/// \file Trace records of a step, read back from the GPU.

#include "kernels/multisplit/split_workspace.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// Waits for a step and reads its records.
/// \param rule of the step, with the keys' code
/// \param arrays, starts of the step
[[nodiscard]] SplitRecords read_records(cudaStream_t stream,
                                        SplitWorkspace const& workspace,
                                        OutOfPlaceArrays const& arrays,
                                        DeviceRule const& rule,
                                        std::uint64_t const* starts);

} // namespace keyswap::kernels
