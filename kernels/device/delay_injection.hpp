#pragma once

/// \file Delays that a test puts into streams. An operation that does not wait for another one of
/// another stream, or of the host, reads what should be there by then only because the other was
/// fast enough; where some are slow by chance, a missing wait shows. Off unless a test turns it on.

#include <chrono>
#include <cstdint>

struct CUstream_st; // that a cudaStream_t points to: conformance needs no CUDA header

namespace keyswap::kernels::delay_injection {

/// One in this many points is delayed.
inline constexpr std::uint64_t delayed_share = 3;
inline constexpr std::chrono::microseconds delay_min{20};
inline constexpr std::chrono::microseconds delay_max{1280};

/// What a point delays by, short delays as often as long ones; zero at most points. The same for
/// the same arguments on every machine. \param point 0 = the first since start()
[[nodiscard]] std::chrono::microseconds drawn_delay(std::uint64_t seed, std::uint64_t point);

/// From now on streams are delayed, as the seed draws it.
void start(std::uint64_t seed);
void stop();

/// A point of a stream: what is queued there after it may begin later than it would. Called where
/// a stream starts on a call's work, and after every event that it records, waits for, or ends
/// with; so a delay never lies between an operation and the event that marks its end.
/// \throws CudaFailure
void delay(CUstream_st* stream);

} // namespace keyswap::kernels::delay_injection
