#pragma once

/// \file NCCL's functions, found when they are first needed: a program that never asks for NCCL
/// runs where it is not installed.

#include "kernels/sort.hpp"

#include <nccl.h>

namespace keyswap::kernels {

struct NcclLibrary {
    decltype(&::ncclGetVersion) get_version = nullptr;
    decltype(&::ncclGetErrorString) get_error_string = nullptr;
    decltype(&::ncclGetUniqueId) get_unique_id = nullptr;
    decltype(&::ncclCommInitRankConfig) comm_init_rank_config = nullptr;
    decltype(&::ncclCommSplit) comm_split = nullptr;
    decltype(&::ncclCommUserRank) comm_user_rank = nullptr;
    decltype(&::ncclCommCount) comm_count = nullptr;
    decltype(&::ncclCommGetAsyncError) comm_get_async_error = nullptr;
    decltype(&::ncclCommAbort) comm_abort = nullptr;
    decltype(&::ncclCommDestroy) comm_destroy = nullptr;
    /// Null where NCCL is older than 2.19.
    decltype(&::ncclCommRegister) comm_register = nullptr;
    decltype(&::ncclCommDeregister) comm_deregister = nullptr;
    decltype(&::ncclGroupStart) group_start = nullptr;
    decltype(&::ncclGroupEnd) group_end = nullptr;
    decltype(&::ncclAllGather) all_gather = nullptr;
    decltype(&::ncclSend) send = nullptr;
    decltype(&::ncclRecv) receive = nullptr;
};

/// Those of the NCCL that this program is linked with, else of the machine's libnccl.so.2, which is
/// never unloaded. Errors: there is none, or it is too old to have them all.
[[nodiscard]] SortExpected<NcclLibrary const*> nccl_library();

} // namespace keyswap::kernels
