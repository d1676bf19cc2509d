/// \file Linked into a program with mutants by --wrap=main: sends the mutant's number to each GPU
/// before main, and copies the marks of reached mutants back after it.

#include "tools/mutants/cuda_mutant.hpp"

#include <array>
#include <cstdio>
#include <cuda_runtime_api.h>

extern "C" int __real_main(int argc, char** argv);

namespace {

bool is_done(cudaError_t error) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "mutants: %s\n", cudaGetErrorString(error));
    }
    return error == cudaSuccess;
}

void arm(int devices) {
    for (int device = 0; device < devices; ++device) {
        is_done(cudaSetDevice(device));
        for (auto const& found : keyswap::mutants::gpu_modules()) {
            is_done(cudaMemcpyToSymbol(found.active, &keyswap::mutants::active, sizeof(int)));
        }
    }
    is_done(cudaSetDevice(0));
}

void fetch_marks(int devices) {
    std::array<unsigned char, keyswap::mutants::gpu_mutants_max> marks{};
    for (int device = 0; device < devices; ++device) {
        is_done(cudaSetDevice(device));
        for (auto const& found : keyswap::mutants::gpu_modules()) {
            if (is_done(cudaMemcpyFromSymbol(marks.data(), found.reached, marks.size()))) {
                for (std::size_t i = 0; i < marks.size(); ++i) {
                    keyswap::mutants::reached[i] |= marks[i];
                }
            }
        }
    }
}

} // namespace

extern "C" int __wrap_main(int argc, char** argv) {
    int devices = 0;
    if (is_done(cudaGetDeviceCount(&devices)) && keyswap::mutants::active != 0) {
        arm(devices);
    }
    int const code = __real_main(argc, argv);
    if (keyswap::mutants::active < 0 && keyswap::mutants::reached != nullptr) {
        fetch_marks(devices);
    }
    return code;
}
