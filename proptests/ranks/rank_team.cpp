#include "proptests/ranks/rank_team.hpp"

#include "model/ranks/thread_communicator.hpp"
#include "traces/errors/contracts.hpp"

#if defined(KEYSWAP_WITH_MPI)
#include "model/mpi/mpi_communicator.hpp"
#endif

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

namespace keyswap::proptests {

namespace {

std::unique_ptr<RankTeam> the_team;

class ThreadTeam final : public RankTeam {
  public:
    explicit ThreadTeam(RankPart part) : part_(std::move(part)) {}

    std::optional<std::uint32_t> size() const override { return std::nullopt; }

  private:
    std::vector<std::string> run_for(std::uint32_t rank_count,
                                     std::string const& job,
                                     std::chrono::milliseconds patience) override {
        std::vector<std::string> results(rank_count);
        model::ThreadRanks ranks(rank_count, patience);
        ranks.run([&](model::Communicator& end) { results[end.rank()] = part_(end, job); });
        return results;
    }

    RankPart part_;
};

#if defined(KEYSWAP_WITH_MPI)
/// A team of the processes started by mpirun.
class MpiTeam final : public RankTeam {
  public:
    explicit MpiTeam(RankPart part)
        : control_(MPI_COMM_WORLD, std::chrono::minutes(5)), part_(std::move(part)) {}

    std::optional<std::uint32_t> size() const override { return control_.size(); }
    [[nodiscard]] bool leads() const { return control_.rank() == 0; }
    /// Executes orders until end(); for all ranks but 0.
    void serve() {
        for (std::string order; !(order = gathered("job", "").front()).empty();) {
            (void)do_part(order);
        }
    }
    /// Ends serve() on the other ranks.
    void end() { (void)gathered("job", ""); }

  private:
    std::vector<std::string> run_for(std::uint32_t rank_count,
                                     std::string const& job,
                                     std::chrono::milliseconds patience) override {
        KEYSWAP_EXPECTS(rank_count == control_.size());
        return do_part(gathered("job", std::to_string(patience.count()) + ' ' + job).front());
    }

    /// \param order milliseconds of patience, a space, the job
    std::vector<std::string> do_part(std::string const& order) {
        auto const space = order.find(' ');
        std::chrono::milliseconds const patience(std::stoll(order.substr(0, space)));
        std::string result;
        {
            model::MpiCommunicator ranks(MPI_COMM_WORLD, patience);
            result = part_(ranks, order.substr(space + 1));
        }
        return gathered("result", result);
    }

    /// Gathers texts of any length. \return [rank]
    std::vector<std::string> gathered(std::string_view step, std::string const& own) {
        auto const sizes = model::all_gather(control_, step, std::uint64_t{own.size()});
        std::vector<std::string> texts;
        texts.reserve(sizes.size());
        for (std::uint64_t const size : sizes) {
            texts.emplace_back(size, '\0');
        }
        std::vector<std::span<std::byte const>> const sends(sizes.size(),
                                                            std::as_bytes(std::span(own)));
        std::vector<std::span<std::byte>> receives;
        receives.reserve(texts.size());
        for (std::string& text : texts) {
            receives.push_back(std::as_writable_bytes(std::span(text)));
        }
        control_.exchange(step, sends, receives);
        return texts;
    }

    model::MpiCommunicator control_;
    RankPart part_;
};

int run_under_mpirun(RankPart part) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    int status = 0;
    try {
        auto own = std::make_unique<MpiTeam>(std::move(part));
        MpiTeam& ranks = *own;
        the_team = std::move(own);
        if (ranks.leads()) {
            status = RUN_ALL_TESTS();
            ranks.end();
        } else {
            ranks.serve();
        }
        the_team.reset();
    } catch (model::RankFailure const& failure) {
        std::fprintf(stderr, "the ranks of the test lost each other: %s\n", failure.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return status;
}
#else
int run_under_mpirun(RankPart const& /*part*/) {
    std::fprintf(stderr, "--mpi: this build has no MPI\n");
    return 2;
}
#endif

} // namespace

RankTeam& team() {
    KEYSWAP_EXPECTS(the_team != nullptr);
    return *the_team;
}

int run_rank_tests(int argc, char** argv, RankPart part) {
    ::testing::InitGoogleTest(&argc, argv);
    if (argc > 1 && argv[1] == std::string_view("--mpi")) {
        return run_under_mpirun(part);
    }
    the_team = std::make_unique<ThreadTeam>(std::move(part));
    return RUN_ALL_TESTS();
}

} // namespace keyswap::proptests
