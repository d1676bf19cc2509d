#pragma once

/// \file Delays that a test injects into streams. An operation that fails to wait for another
/// stream or for the host reads correct data only if that happened to be faster; random delays
/// expose the missing wait. Disabled unless a test enables it.

#include <chrono>
#include <cstdint>

struct CUstream_st; // declares cudaStream_t's target: conformance needs no CUDA header

namespace keyswap::kernels::delay_injection {

/// One in `delayed_share` points is delayed.
inline constexpr std::uint64_t delayed_share = 3;
inline constexpr std::chrono::microseconds delay_min{20};
inline constexpr std::chrono::microseconds delay_max{1280};

/// Delay of a point, zero for most points; short and long delays are equally frequent.
/// Deterministic on all machines. \param point index since start(), from 0
[[nodiscard]] std::chrono::microseconds drawn_delay(std::uint64_t seed, std::uint64_t point);

/// Enables delays, drawn from the seed.
void start(std::uint64_t seed);
void stop();

/// A point in a stream: may delay everything queued after it. Called where a stream starts the work
/// of a call, and after each event that the stream records, waits for or ends with, so that a delay
/// never comes between an operation and the event that marks its end.
/// \throws CudaFailure
void delay(CUstream_st* stream);

} // namespace keyswap::kernels::delay_injection
