#include "kernels/device/cuda_error.hpp"

namespace keyswap::kernels {

SortError error_of(CudaFailure const& failure, InputState input) {
    bool const no_memory = failure.code() == cudaErrorMemoryAllocation;
    return {no_memory ? SortErrorCode::out_of_device_memory : SortErrorCode::device_failure,
            std::string{failure.what()} +
                (no_memory ? ". Sort fewer elements at once, or free device memory." : ".") +
                (input == InputState::intact ? " The input is unchanged."
                                             : " The input has been overwritten."),
            input};
}

std::optional<SortError> missing_device(int device) {
    if (device >= 0 && device < device_count()) {
        return std::nullopt;
    }
    return SortError{SortErrorCode::no_such_device,
                     "there is no device " + std::to_string(device) + " (this machine has " +
                         std::to_string(device_count()) + ")"};
}

SortError refused(std::string message) {
    return {SortErrorCode::invalid_option, std::move(message)};
}

} // namespace keyswap::kernels
