#pragma once

#include <Eigen/Dense>

namespace keyswap::simulator {

/// The x >= 0 that minimizes |A x - b|, by the active-set method of Lawson and Hanson (Solving
/// Least Squares Problems, 1974, chapter 23). At the solution the gradient is 0 where x > 0 and
/// points outwards where x = 0.
/// \pre a has at least one column, and as many rows as b
[[nodiscard]] Eigen::VectorXd nonnegative_least_squares(Eigen::MatrixXd const& a,
                                                        Eigen::VectorXd const& b);

} // namespace keyswap::simulator
