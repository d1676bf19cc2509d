#pragma once

/// \file NCCL's functions, loaded on first use: a program that never uses NCCL also runs where it
/// is not installed.

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
    /// Null in NCCL before 2.19.
    decltype(&::ncclCommRegister) comm_register = nullptr;
    decltype(&::ncclCommDeregister) comm_deregister = nullptr;
    decltype(&::ncclGroupStart) group_start = nullptr;
    decltype(&::ncclGroupEnd) group_end = nullptr;
    decltype(&::ncclAllGather) all_gather = nullptr;
    decltype(&::ncclSend) send = nullptr;
    decltype(&::ncclRecv) receive = nullptr;
};

/// Functions of the NCCL linked to this program, else of the system's libnccl.so.2, which is never
/// unloaded. Errors: not found, or too old to have all functions.
[[nodiscard]] SortExpected<NcclLibrary const*> nccl_library();

} // namespace keyswap::kernels
