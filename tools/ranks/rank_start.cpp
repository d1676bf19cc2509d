#include "tools/ranks/rank_start.hpp"

#include "model/ranks/agreement.hpp"
#include "model/ranks/thread_communicator.hpp"
#include "tools/ranks/rank_ending.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <vector>

namespace keyswap::tools {

namespace {

constexpr std::uint32_t thread_ranks_max = 256;

} // namespace

Expected<std::uint32_t> thread_count(BackendChoice const& choice) {
    std::uint32_t const count = parsed_number<std::uint32_t>(*choice.ranks).value_or(0);
    if (count == 0 || count > thread_ranks_max) {
        return input_error("--ranks",
                           '\'' + *choice.ranks +
                               "' is neither mpi nor a number of ranks from 1 to " +
                               std::to_string(thread_ranks_max),
                           "give --ranks mpi under mpirun, or --ranks 4");
    }
    return count;
}

RankEnd run_rank(model::Communicator& ranks, RankWork const& work) {
    auto const alone = [](InputError error) {
        return RankEnd{tl::unexpected(std::move(error)), RankEnd::Others::elsewhere};
    };
    try {
        return {work(ranks), RankEnd::Others::agreed};
    } catch (model::RankFailure const& failure) {
        return alone(model::error_of(failure));
    } catch (std::exception const& exception) {
        return alone({"rank " + std::to_string(ranks.rank()),
                      std::string("could not continue: ") + exception.what(),
                      "start fewer ranks here"});
    }
}

ExitCode run_process(MpiRanks& ranks, model::Communicator& end, RankWork const& work) {
    TrackedSteps steps(end);
    auto const [result, others] = run_rank(steps, work);
    if (result) {
        return *result;
    }
    std::cerr << "keyswap: rank " + std::to_string(end.rank()) +
                     ": error: " + result.error().message() + '\n';
    if (others == RankEnd::Others::elsewhere) {
        ranks.abort(static_cast<int>(ExitCode::could_not_run));
    }
    return ExitCode::could_not_run;
}

Expected<ExitCode> run_ranks(BackendChoice const& choice, RankWork const& work) {
    if (choice.is_mpi()) {
        KEYSWAP_TRY(auto const ranks, join_mpi_ranks(choice.rank_patience()));
        return run_process(*ranks, ranks->world(), work);
    }
    KEYSWAP_TRY(auto const count, thread_count(choice));
    std::vector<Expected<ExitCode>> results(count, ExitCode::fine);
    model::ThreadRanks ranks(count, choice.rank_patience());
    ranks.run([&](model::Communicator& end) { results[end.rank()] = run_rank(end, work).result; });
    auto const failed = std::ranges::find_if(results, [](auto const& r) { return !r; });
    return failed != results.end() ? *failed : results.front();
}

} // namespace keyswap::tools
