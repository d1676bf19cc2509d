#pragma once

/// \file Prepended to every file of a build for `tools/mutants/cuda-mutants`: on(), also for GPU
/// code. Each translation unit holds the active mutant's number and marks of reached mutants; arm()
/// sends the number to each GPU. Number -1 runs the original code and marks reached mutants.

#include "tools/mutants/mutant.hpp"

#include <vector>

namespace keyswap::mutants {

inline constexpr int gpu_mutants_max = 512;

/// Symbols of a translation unit in GPU memory.
struct GpuModule {
    void const* active;
    void const* reached;
};

inline std::vector<GpuModule>& gpu_modules() {
    static std::vector<GpuModule> modules;
    return modules;
}

#if defined(__CUDACC__)

namespace {

__constant__ int gpu_active;
__device__ unsigned char gpu_reached[gpu_mutants_max];

struct RegisteredModule {
    RegisteredModule() { gpu_modules().push_back({&gpu_active, &gpu_reached}); }
};
RegisteredModule const registered_module;

__host__ __device__ inline bool on_gpu(int id) {
#if defined(__CUDA_ARCH__)
    if (gpu_active < 0) {
        gpu_reached[id] = 1;
    }
    return gpu_active == id;
#else
    return on(id);
#endif
}

__host__ __device__ inline int one_if(int id) {
    return on_gpu(id) ? 1 : 0;
}

/// Mutants of a launch shape: fewer() drops one block, half() halves the threads.
template <class Count>
Count fewer(Count count, int id) {
    return on(id) && count > 1 ? static_cast<Count>(count - 1) : count;
}
template <class Count>
Count half(Count count, int id) {
    return on(id) && count > 1 ? static_cast<Count>(count / 2) : count;
}

inline dim3 fewer(dim3 count, int id) {
    unsigned& last = count.x > 1 ? count.x : count.y;
    last = fewer(last, id);
    return count;
}
inline dim3 half(dim3 count, int id) {
    count.x = half(count.x, id);
    return count;
}

/// Mutant of an atomic: a read and a separate write, which races with other threads.
template <class Word, class Change>
__device__ inline Word plain_change(Word* place, Change change) {
    Word const before = *static_cast<Word volatile*>(place);
    *static_cast<Word volatile*>(place) = static_cast<Word>(change(before));
    return before;
}
template <class Word, class Value>
__device__ inline Word plain_add(Word* place, Value value) {
    return plain_change(place, [value](Word before) { return before + value; });
}
template <class Word, class Value>
__device__ inline Word plain_max(Word* place, Value value) {
    return plain_change(place, [value](Word before) { return before < value ? value : before; });
}
template <class Word, class Value>
__device__ inline Word plain_min(Word* place, Value value) {
    return plain_change(place, [value](Word before) { return value < before ? value : before; });
}
template <class Word, class Value>
__device__ inline Word plain_or(Word* place, Value value) {
    return plain_change(place, [value](Word before) { return before | value; });
}
template <class Word, class Value>
__device__ inline Word plain_exch(Word* place, Value value) {
    return plain_change(place, [value](Word) { return value; });
}
/// Mutant of a volatile load: the compiler and the L1 cache may return an old value.
template <class Word>
__device__ inline Word cached(Word const volatile* place) {
    return __ldca(const_cast<Word const*>(place));
}
template <class Word>
__device__ inline Word cached(Word const* place) {
    return __ldca(place);
}

} // namespace

#endif

} // namespace keyswap::mutants
