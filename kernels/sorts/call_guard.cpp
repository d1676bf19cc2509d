#include "kernels/sorts/call_guard.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/ranks/rank_step.hpp"

#include <string>

namespace keyswap::kernels {

std::optional<SortError> count_error(SorterState const& state, std::uint64_t key_count) {
    if (key_count <= state.key_count_max) {
        return std::nullopt;
    }
    return SortError{SortErrorCode::invalid_option,
                     "this sorter was made for " + std::to_string(state.key_count_max) +
                         " keys, not " + std::to_string(key_count) + ". Make a larger one.",
                     InputState::intact};
}

SortExpected<SortReport> guarded(SortRun& run, std::function<SortReport()> const& body) {
    auto const failed = [&run](SortError error) {
        run.drain();
        error.input = run.input();
        return tl::unexpected(std::move(error));
    };
    try {
        return body();
    } catch (CudaFailure const& failure) {
        run.abandon();
        return failed(error_of(failure, run.input()));
    } catch (RankLost const& lost) {
        run.abandon();
        return failed(error_of(lost, run.input()));
    } catch (SortRefused const& refused) {
        // All ranks throw this.
        return failed({SortErrorCode::invalid_option, refused.message, run.input()});
    }
}

} // namespace keyswap::kernels
