#pragma once

/// \file Histograms of values on one GPU: bins between ascending edges, or of equal width. Source:
/// GPU Multisplit (Ashkiani et al., TOPC 2017), section 7.3; the counts are CUB's HistogramRange
/// and HistogramEven. No CUDA header is needed.

#include "kernels/sort.hpp"
#include "traces/records/key_image.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace keyswap::kernels {

enum class BinSpacing {
    range, ///< any ascending edges: search in a tree of edges in shared memory
    even   ///< equal width, rounded to the sample type: a product, corrected by means of the edges
};

struct HistogramOptions {
    KeyType sample_type = KeyType::f32;
    /// Order-preserving images, [bins + 1], strictly ascending: bin b holds edge b <= sample < edge
    /// b + 1. Samples outside all bins, including NaNs, are not counted. For both zeros to lie at
    /// an edge of zero, as in CUB, it must be the image of -0.0.
    std::vector<KeyImage> edges;
    BinSpacing spacing = BinSpacing::range;
    int device = 0;
};

/// Most bins, as their counters must fit a block's shared memory.
inline constexpr std::uint32_t histogram_bins_max = 8192;

class HistogramState;

/// A histogram with fixed edges; allocates all memory on creation.
class Histogram {
  public:
    [[nodiscard]] static SortExpected<Histogram> create(HistogramOptions const& options);
    Histogram(Histogram&&) noexcept;
    Histogram& operator=(Histogram&&) noexcept;
    ~Histogram();

    /// Queues the count and returns without waiting.
    /// \param samples [count] device
    /// \param counts [bins] device, overwritten
    /// \param stream cudaStream_t of the device
    [[nodiscard]] SortExpected<void>
    count(void const* samples, std::uint64_t count, std::uint64_t* counts, void* stream = nullptr);

    /// Counts samples in host memory and waits for the result.
    /// \param samples [count] host
    /// \return [bins + 2]: below the first edge, in each bin, at or above the last edge
    [[nodiscard]] SortExpected<std::vector<std::uint64_t>> count_host(void const* samples,
                                                                      std::uint64_t count);

  private:
    explicit Histogram(std::unique_ptr<HistogramState> state);
    std::unique_ptr<HistogramState> state_;
};

} // namespace keyswap::kernels
