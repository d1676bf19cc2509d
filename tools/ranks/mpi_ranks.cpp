#include "tools/ranks/mpi_ranks.hpp"

#include "model/mpi/mpi_communicator.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <cstdlib>
#include <thread>

namespace keyswap::tools {

namespace {

/// Time for the other ranks to report their errors once one has failed.
constexpr auto output_tail = std::chrono::milliseconds(500);

class JoinedRanks final : public MpiRanks {
  public:
    explicit JoinedRanks(std::chrono::milliseconds patience) : world_(MPI_COMM_WORLD, patience) {}

    model::Communicator& world() override { return world_; }
    void abort(int exit_code) override {
        std::this_thread::sleep_for(output_tail);
        MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::_Exit(exit_code);
    }

  private:
    /// MPI session; constructed before the communicator and destroyed after it.
    struct Session {
        ~Session() { MPI_Finalize(); }
    };
    Session session_;
    model::MpiCommunicator world_;
};

} // namespace

Expected<std::unique_ptr<MpiRanks>> join_mpi_ranks(std::chrono::milliseconds patience) {
    int there = 0;
    MPI_Initialized(&there);
    int level = 0;
    if (there == 0 &&
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        return input_error(
            "--ranks mpi", "MPI could not be started", "start the program by mpirun");
    }
    return std::make_unique<JoinedRanks>(patience);
}

std::optional<std::string> mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return std::string(text.data());
}

} // namespace keyswap::tools
