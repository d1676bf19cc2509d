#pragma once

/// \file Ranks that are processes or threads with one GPU each, connected by NCCL. No NCCL or CUDA
/// header is needed.

#include "kernels/ranks/rank_transport.hpp"
#include "kernels/sort.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

/// Target of an ncclComm_t.
struct ncclComm;

namespace keyswap::kernels {

/// Id that rank 0 distributes to all ranks by other means before they join.
using NcclId = std::array<std::byte, 128>;

/// A rank and its GPU on this machine; each rank has its own GPU.
struct RankPlace {
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
    int device = 0;
};

/// Sets NCCL_LEGACY_CUDA_REGISTER=1 in this process's environment unless it is set: NCCL then
/// registers memory of cudaMalloc as well as of ncclMemAlloc, and ranks that cannot all share
/// memory (several machines) still write chunks on their own machine directly. Call it from a
/// program before NCCL first registers memory and before other threads read the environment; the
/// library never calls it.
void let_nccl_register_cuda_memory();

/// Creates an id for join_nccl(). Errors: NCCL is not installed, or not part of this build.
[[nodiscard]] SortExpected<NcclId> make_nccl_id();

/// Joins the ranks that have the same id; collective.
/// \param patience timeout for the other ranks, here and in every step
/// Errors: as make_nccl_id(); timeout; two ranks on one GPU.
[[nodiscard]] SortExpected<std::unique_ptr<RankTransport>>
join_nccl(NcclId const& id, RankPlace place, std::chrono::milliseconds patience);

/// Joins the ranks of the caller's communicator, using a duplicate (ncclCommSplit), so that the
/// caller's remains usable after a failure. Collective; the communicator's device must be `device`.
[[nodiscard]] SortExpected<std::unique_ptr<RankTransport>>
duplicate_nccl(ncclComm* comm, int device, std::chrono::milliseconds patience);

} // namespace keyswap::kernels
