#include "kernels/ranks/nccl_transport.hpp"

namespace keyswap::kernels {

namespace {

tl::unexpected<SortError> absent() {
    return tl::unexpected(
        SortError{SortErrorCode::rank_failure,
                  "this keyswap was built without NCCL. Build it where nccl.h is found."});
}

} // namespace

void let_nccl_register_cuda_memory() {}

SortExpected<NcclId> make_nccl_id() {
    return absent();
}

SortExpected<std::unique_ptr<RankTransport>>
join_nccl(NcclId const& /*id*/, RankPlace /*place*/, std::chrono::milliseconds /*patience*/) {
    return absent();
}

SortExpected<std::unique_ptr<RankTransport>>
duplicate_nccl(ncclComm* /*comm*/, int /*device*/, std::chrono::milliseconds /*patience*/) {
    return absent();
}

} // namespace keyswap::kernels
