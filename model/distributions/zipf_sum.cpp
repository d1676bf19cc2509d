#include "model/distributions/zipf_sum.hpp"

#include "model/distributions/deterministic_math.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

ZipfSum::ZipfSum(double exponent) : exponent_(exponent), exact_{0} {
    KEYSWAP_EXPECTS(exponent >= 0 && exponent <= 16);
    for (std::uint64_t rank = 1; rank <= exact_ranks; ++rank) {
        exact_.push_back(exact_.back() + deterministic_pow(static_cast<double>(rank), -exponent));
    }
}

double ZipfSum::up_to(std::uint64_t rank) const {
    KEYSWAP_EXPECTS(rank >= 1);
    if (rank <= exact_ranks) {
        return exact_[rank];
    }
    constexpr double a = exact_ranks;
    double const b = static_cast<double>(rank);
    double const z = exponent_;
    double const log_ratio = deterministic_log(b / a);
    double const f_a = deterministic_pow(a, -z);
    double const f_b = deterministic_pow(b, -z);
    // The integral of x^-z from a to b, in a form that is exact around z = 1.
    double const s = (1 - z) * log_ratio;
    double const growth = s == 0 ? 1 : deterministic_expm1(s) / s;
    double const integral = a * f_a * log_ratio * growth;
    double const third = z * (z + 1) * (z + 2) / 720;
    return exact_.back() + integral + (f_b - f_a) / 2 + z / 12 * (f_a / a - f_b / b) -
           third * (f_a / (a * a * a) - f_b / (b * b * b));
}

} // namespace keyswap::model
