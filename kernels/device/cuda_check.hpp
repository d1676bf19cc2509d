#pragma once

/// \file Every CUDA call of the kernels goes through KEYSWAP_CUDA, which throws on an error and
/// which a test can make fail at any call.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace keyswap::kernels {

/// A CUDA call that failed: an environment's error.
class CudaFailure : public std::runtime_error {
  public:
    CudaFailure(cudaError_t code, std::string const& message)
        : std::runtime_error(message), code_(code) {}
    [[nodiscard]] cudaError_t code() const { return code_; }

  private:
    cudaError_t code_;
};

/// Throws CudaFailure unless `code` is cudaSuccess.
/// \param call the call's text, as KEYSWAP_CUDA passes it
void check_cuda(cudaError_t code, char const* call, char const* file, int line);

/// Fault injection: counts the calls made through KEYSWAP_CUDA and makes one of them fail without
/// making it. Off unless a test turns it on.
namespace fault_injection {

/// The `index`-th call from now on (0 = the next) fails with cudaErrorUnknown.
void fail_call(std::uint64_t index);
/// No call fails any more. Returns whether one has failed since fail_call().
bool stop();
/// True where the call that is about to be made has to fail.
[[nodiscard]] bool next_call_fails();

} // namespace fault_injection

} // namespace keyswap::kernels

#define KEYSWAP_CUDA(call)                                                                         \
    ::keyswap::kernels::check_cuda(                                                                \
        ::keyswap::kernels::fault_injection::next_call_fails() ? cudaErrorUnknown : (call),        \
        #call,                                                                                     \
        __FILE__,                                                                                  \
        __LINE__)
