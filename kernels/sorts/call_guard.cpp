#include "kernels/sorts/call_guard.hpp"

#include "kernels/device/cuda_error.hpp"
#include "kernels/ranks/rank_step.hpp"

#include <string>

namespace keyswap::kernels {

SortExpected<SortReport> run_sort(SorterState& state,
                                  std::uint64_t key_count,
                                  PhaseTiming timing,
                                  TraceSink* trace,
                                  std::function<SortReport(SortRun&)> const& body) {
    if (key_count > state.key_count_max) {
        return tl::unexpected(refused("this sorter was made for " +
                                      std::to_string(state.key_count_max) + " keys, not " +
                                      std::to_string(key_count) + ". Make a larger one."));
    }
    SortRun run{state, key_count, timing, trace};
    auto const failed = [&run](SortError error) {
        run.drain();
        error.input = run.input();
        return tl::unexpected(std::move(error));
    };
    try {
        return body(run);
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
