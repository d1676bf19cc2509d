#include "kernels/device/cuda_check.hpp"

#include <atomic>

namespace keyswap::kernels {

void check_cuda(cudaError_t code, char const* call, char const* file, int line) {
    if (code == cudaSuccess) {
        return;
    }
    static_cast<void>(cudaGetLastError()); // clears the error, which is reported here
    throw CudaFailure{code,
                      std::string{cudaGetErrorName(code)} + " (" + cudaGetErrorString(code) +
                          ") from " + call + " at " + file + ":" + std::to_string(line)};
}

namespace fault_injection {

namespace {

constexpr std::int64_t off = -1;
std::atomic<std::int64_t> calls_left{off};
std::atomic<bool> has_failed{false};

} // namespace

void fail_call(std::uint64_t index) {
    has_failed = false;
    calls_left = static_cast<std::int64_t>(index);
}

bool stop() {
    calls_left = off;
    return has_failed.exchange(false);
}

bool next_call_fails() {
    if (calls_left.load(std::memory_order_relaxed) < 0) {
        return false;
    }
    if (calls_left.fetch_sub(1) != 0) {
        return false;
    }
    has_failed = true;
    return true;
}

} // namespace fault_injection

} // namespace keyswap::kernels
