#include "simulator/calibration/calibration_nnls.hpp"

#include "traces/errors/contracts.hpp"

#include <limits>
#include <vector>

namespace keyswap::simulator {

namespace {

/// Least squares over the free columns only; 0 in the others.
Eigen::VectorXd
solve_free(Eigen::MatrixXd const& a, Eigen::VectorXd const& b, std::vector<bool> const& is_free) {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index column = 0; column < a.cols(); ++column) {
        if (is_free[static_cast<std::size_t>(column)]) {
            columns.push_back(column);
        }
    }
    Eigen::MatrixXd const part = a(Eigen::all, columns);
    Eigen::VectorXd const solved = part.colPivHouseholderQr().solve(b);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
    for (std::size_t index = 0; index < columns.size(); ++index) {
        x[columns[index]] = solved[static_cast<Eigen::Index>(index)];
    }
    return x;
}

} // namespace

Eigen::VectorXd nonnegative_least_squares(Eigen::MatrixXd const& a, Eigen::VectorXd const& b) {
    KEYSWAP_EXPECTS(a.cols() > 0 && a.rows() == b.size());
    std::vector<bool> is_free(static_cast<std::size_t>(a.cols()), false);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols());
    double const tolerance = 1e-10 * a.norm() * (1.0 + b.norm());
    Eigen::Index const steps_max = 3 * a.cols() + 10;
    for (Eigen::Index step = 0; step < steps_max; ++step) {
        Eigen::VectorXd const gradient = a.transpose() * (b - a * x);
        Eigen::Index best = -1;
        for (Eigen::Index column = 0; column < a.cols(); ++column) {
            if (!is_free[static_cast<std::size_t>(column)] && gradient[column] > tolerance &&
                (best < 0 || gradient[column] > gradient[best])) {
                best = column;
            }
        }
        if (best < 0) {
            return x;
        }
        is_free[static_cast<std::size_t>(best)] = true;
        Eigen::VectorXd next = solve_free(a, b, is_free);
        for (Eigen::Index inner = 0; inner <= a.cols(); ++inner) {
            double part = 1.0;
            for (Eigen::Index column = 0; column < a.cols(); ++column) {
                if (is_free[static_cast<std::size_t>(column)] && next[column] <= 0.0) {
                    part = std::min(part,
                                    x[column] / (x[column] - next[column] +
                                                 std::numeric_limits<double>::min()));
                }
            }
            if (part >= 1.0) {
                break;
            }
            x += part * (next - x);
            for (Eigen::Index column = 0; column < a.cols(); ++column) {
                if (is_free[static_cast<std::size_t>(column)] && next[column] <= 0.0 &&
                    x[column] <= 1e-14 * (1.0 + x.norm())) {
                    is_free[static_cast<std::size_t>(column)] = false;
                    x[column] = 0.0;
                }
            }
            next = solve_free(a, b, is_free);
        }
        x = next.cwiseMax(0.0);
    }
    return x;
}

} // namespace keyswap::simulator
