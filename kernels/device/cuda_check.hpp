#pragma once

/// \file KEYSWAP_CUDA wraps every CUDA call of the kernels: it throws on an error, and tests can
/// make any single call fail.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace keyswap::kernels {

/// A failed CUDA call: an error of the environment.
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

/// Deleter of a std::unique_ptr to a CUDA resource; ignores errors.
template <auto release>
struct Release {
    void operator()(auto* resource) const noexcept { static_cast<void>(release(resource)); }
};

/// Fault injection: counts the calls made through KEYSWAP_CUDA and replaces one of them by an
/// error. Disabled unless a test enables it.
namespace fault_injection {

/// Makes the `index`-th call from now on (0 = the next) fail with cudaErrorUnknown.
void fail_call(std::uint64_t index);
/// Disables fault injection. Returns true if a call has failed since fail_call().
bool stop();
/// Counts a call; true if it must fail instead of being made.
[[nodiscard]] bool next_call_fails();

} // namespace fault_injection

} // namespace keyswap::kernels

#define KEYSWAP_CUDA(call)                                                                         \
    ::keyswap::kernels::check_cuda(                                                                \
        ::keyswap::kernels::fault_injection::next_call_fails() ? cudaErrorUnknown : (call),        \
        #call,                                                                                     \
        __FILE__,                                                                                  \
        __LINE__)
