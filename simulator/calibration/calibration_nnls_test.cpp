#include "simulator/calibration/calibration_nnls.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

TEST(NonnegativeLeastSquares, FindsAnInnerSolution) {
    Eigen::MatrixXd a(3, 2);
    a << 1, 0, 0, 1, 1, 1;
    Eigen::VectorXd const b = a * Eigen::Vector2d(2.0, 3.0);
    Eigen::VectorXd const x = nonnegative_least_squares(a, b);
    EXPECT_NEAR(x[0], 2.0, 1e-9);
    EXPECT_NEAR(x[1], 3.0, 1e-9);
}

TEST(NonnegativeLeastSquares, HoldsAConstantAtZeroThatWantsToBeNegative) {
    // Unbounded, x = (2, -1). With x1 = 0, x0 minimizes (x0 - 2)^2 + (x0 - 1)^2: 1.5.
    Eigen::MatrixXd a(2, 2);
    a << 1, 0, 1, 1;
    Eigen::VectorXd const x = nonnegative_least_squares(a, Eigen::Vector2d(2.0, 1.0));
    EXPECT_NEAR(x[0], 1.5, 1e-9);
    EXPECT_EQ(x[1], 0.0);
}

TEST(NonnegativeLeastSquares, MeetsTheOptimalityConditions) {
    Eigen::MatrixXd a(6, 4);
    a << 1, 2, 0, 1, 0, 1, 3, -1, 2, 0, 1, 1, 1, 1, 1, 0, -1, 2, 0, 2, 0, 0, 1, 3;
    Eigen::VectorXd b(6);
    b << 1, -2, 3, 0, -1, 2;
    Eigen::VectorXd const x = nonnegative_least_squares(a, b);
    Eigen::VectorXd const gradient = a.transpose() * (b - a * x);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        EXPECT_GE(x[i], 0.0);
        if (x[i] > 0.0) {
            EXPECT_NEAR(gradient[i], 0.0, 1e-9);
        } else {
            EXPECT_LE(gradient[i], 1e-9);
        }
    }
}

} // namespace
} // namespace keyswap::simulator
