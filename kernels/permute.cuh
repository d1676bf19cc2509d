#pragma once

/// \file Reorders rows by row number, for wide columns of a table whose key was sorted with row
/// numbers as values. Source: Satish et al., Fast Sort on CPUs, GPUs and Intel MIC Architectures
/// (2010), which sorts records as (key, row id) and permutes them at the end.

#include "kernels/primitives/record_words.hpp"
#include "kernels/sort.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace keyswap::kernels {

namespace permute_detail {

/// Adjacent threads handle adjacent output words, so that wide rows are read and written in whole
/// cache lines.
template <class Word, std::uint64_t words, class RowNumber>
__global__ void
permute_kernel(RowNumber const* rows, Word const* in, Word* out, std::uint64_t word_count) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < word_count;
         i += stride) {
        out[i] = in[rows[i / words] * std::uint64_t{words} + i % words];
    }
}

} // namespace permute_detail

/// Queues out[i] = in[rows[i]] for all i < count in the stream of the current device, and returns.
/// \tparam Row any trivially copyable type of any size
/// \tparam RowNumber an unsigned integer of 4 or 8 bytes
/// \param rows [count] device, indices into `in`
/// \param in device, [largest row number + 1] at least \param out [count] device, not overlapping
/// `in`; both aligned to the largest power of two that divides sizeof(Row), at most 16
template <class RowNumber, class Row>
[[nodiscard]] SortExpected<void> permute(RowNumber const* rows,
                                         Row const* in,
                                         Row* out,
                                         std::uint64_t count,
                                         cudaStream_t stream = nullptr) {
    static_assert(std::is_trivially_copyable_v<Row>, "rows are moved as bytes");
    static_assert(std::is_unsigned_v<RowNumber> &&
                      (sizeof(RowNumber) == 4 || sizeof(RowNumber) == 8),
                  "row numbers are unsigned integers of 4 or 8 bytes");
    using Word = RecordWord<sizeof(Row)>;
    constexpr std::uint64_t words = sizeof(Row) / sizeof(Word);
    if (!is_aligned_to_words(in, sizeof(Row)) || !is_aligned_to_words(out, sizeof(Row))) {
        return tl::unexpected(
            SortError{SortErrorCode::invalid_option,
                      "rows of " + std::to_string(sizeof(Row)) + " bytes have to be aligned to " +
                          std::to_string(sizeof(Word)) + " (take addresses that cudaMalloc gave)"});
    }
    if (count == 0) {
        return {};
    }
    constexpr unsigned threads = 256;
    constexpr std::uint64_t blocks_max = 65'536;
    auto const blocks = static_cast<unsigned>(
        std::min<std::uint64_t>((count * words + threads - 1) / threads, blocks_max));
    permute_detail::permute_kernel<Word, words><<<blocks, threads, 0, stream>>>(
        rows, reinterpret_cast<Word const*>(in), reinterpret_cast<Word*>(out), count * words);
    if (cudaError_t const code = cudaGetLastError(); code != cudaSuccess) {
        return tl::unexpected(SortError{SortErrorCode::device_failure, cudaGetErrorString(code)});
    }
    return {};
}

} // namespace keyswap::kernels
