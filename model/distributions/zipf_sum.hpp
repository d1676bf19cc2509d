#pragma once

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// Partial sums of the zeta series, sum of r^-z over ranks r = 1 .. k: added term by term for small
/// k, beyond that by Euler-Maclaurin with two correction terms. Relative error below 1e-13.
class ZipfSum {
  public:
    /// Ranks whose terms are added one by one; the first term that the formula omits is
    /// below z^5 / 30240 x 1024^-5 of the term at this rank.
    static constexpr std::uint64_t exact_ranks = 1024;

    /// \pre 0 <= exponent <= 16
    explicit ZipfSum(double exponent);

    /// \pre rank >= 1
    [[nodiscard]] double up_to(std::uint64_t rank) const;

  private:
    double exponent_;
    std::vector<double> exact_; ///< [exact_ranks + 1]
};

} // namespace keyswap::model
