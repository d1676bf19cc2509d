#pragma once

/// \file Ranks that are processes or threads with a GPU each, whose keys NCCL moves. No header of
/// NCCL or CUDA is needed.

#include "kernels/ranks/rank_transport.hpp"
#include "kernels/sort.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

/// What an ncclComm_t points to.
struct ncclComm;

namespace keyswap::kernels {

/// What rank 0 sends to all ranks by other means, before they can join.
using NcclId = std::array<std::byte, 128>;

/// Which rank this is, and on which of this machine's GPUs; no two share one.
struct RankPlace {
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
    int device = 0;
};

/// Sets NCCL_LEGACY_CUDA_REGISTER to 1 in this process's environment where it has no value: NCCL
/// then registers memory of cudaMalloc too, not only that of its own ncclMemAlloc, and ranks of one
/// machine write each other's chunks without a copy between. For programs, before NCCL is first
/// asked to register memory and before other threads read the environment; the library never does.
void let_nccl_register_cuda_memory();

/// Errors: there is no NCCL, here or in this build.
[[nodiscard]] SortExpected<NcclId> make_nccl_id();

/// Joins the ranks that got the same id; every rank does.
/// \param patience how long it waits for the others, here and at every step
/// Errors: as make_nccl_id(); the others did not come; two ranks on one GPU.
[[nodiscard]] SortExpected<std::unique_ptr<RankTransport>>
join_nccl(NcclId const& id, RankPlace place, std::chrono::milliseconds patience);

/// Ranks of the caller's communicator, on a duplicate of it (ncclCommSplit), so that a failure
/// leaves the caller's usable. Every rank calls it; the communicator's device is `device`.
[[nodiscard]] SortExpected<std::unique_ptr<RankTransport>>
duplicate_nccl(ncclComm* comm, int device, std::chrono::milliseconds patience);

} // namespace keyswap::kernels
