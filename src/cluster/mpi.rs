//! Processes that MPI has started: `mpirun -n 4 zermelo solve ...`.
//!
//! MPI is spoken by one thread only, which the others send their exchanges to: implementations that
//! let many threads speak are not everywhere. That thread asks now and then whether an exchange is
//! over, instead of waiting inside of MPI, which would take a whole core.

use super::{Lost, Transport};
use mpi::collective::CommunicatorCollectives;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Count, Threading};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most bytes that a process sends at once, to all together: MPI counts in 31 bits.
const LONGEST: usize = 1 << 30;

/// After a wish to stop, how long an exchange may take before the others count as lost. Whoever
/// starts the processes ends them all a moment after one has died.
const PATIENCE: Duration = Duration::from_millis(400);

/// Whether this process was started by `mpirun`, `srun` or the like.
#[must_use]
pub fn is_started_by_mpi() -> bool {
    let names = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"];
    names.iter().any(|name| std::env::var_os(name).is_some())
}

/// One process of a job that MPI has started.
pub struct MpiProcess {
    rank: usize,
    size: usize,
    on_this_machine: usize,
    longest: usize,
    /// What the thread that speaks MPI is to do.
    orders: Mutex<Option<Sender<Order>>>,
    is_lost: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

enum Order {
    Exchange(Exchange),
    Abort(i32),
}

struct Exchange {
    outgoing: Vec<Vec<u8>>,
    lengths: Vec<usize>,
    answer: Sender<Result<Vec<Vec<u8>>, Lost>>,
}

/// MPI can't be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("MPI can't be started, or was started before")]
pub struct NoMpi;

impl MpiProcess {
    /// Starts MPI; once in a process. `wants_to_stop` says whether the user or the system does.
    ///
    /// # Errors
    /// If MPI can't be started.
    pub fn begin(wants_to_stop: fn() -> bool) -> Result<MpiProcess, NoMpi> {
        let (orders, receiver) = channel();
        let (tell, told) = channel();
        let thread = std::thread::Builder::new()
            .name("mpi".into())
            .spawn(move || {
                let universe = mpi::initialize_with_threading(Threading::Funneled);
                let Some((universe, _)) = universe else {
                    return;
                };
                let world = universe.world();
                let near = world.split_shared(world.rank());
                let _ = tell.send([world.rank(), world.size(), near.size()]);
                serve(&world, &receiver, wants_to_stop);
            });
        let thread = thread.map_err(|_| NoMpi)?;
        let [rank, size, near] = told
            .recv()
            .map_err(|_| NoMpi)?
            .map(|number| number as usize);
        Ok(MpiProcess {
            rank,
            size,
            on_this_machine: near,
            longest: (LONGEST / size).max(1 << 10),
            orders: Mutex::new(Some(orders)),
            is_lost: AtomicBool::new(false),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// How many of the processes run on this machine.
    #[must_use]
    pub fn on_this_machine(&self) -> usize {
        self.on_this_machine
    }

    /// Whether an exchange has failed: then the others can't be waited for.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Relaxed)
    }

    /// Waits for all other processes to come here, too, and ends MPI.
    pub fn end(&self) {
        if let Ok(mut orders) = self.orders.lock() {
            *orders = None;
        }
        let thread = self.thread.lock().map(|mut thread| thread.take());
        if let Ok(Some(thread)) = thread {
            // A panic there has been told already.
            let _ = thread.join();
        }
    }

    /// Ends all processes at once, with this exit code.
    pub fn abort(&self, code: u8) -> ! {
        if self.order(Order::Abort(code.into())).is_ok() {
            // It ends this process, too.
            std::thread::sleep(Duration::from_secs(5));
        }
        std::process::exit(code.into());
    }

    fn order(&self, order: Order) -> Result<(), Lost> {
        let orders = self.orders.lock().map_err(|_| Lost)?;
        let orders = orders.as_ref().ok_or(Lost)?;
        orders.send(order).map_err(|_| Lost)
    }
}

impl Transport for MpiProcess {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn exchange(&self, outgoing: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Vec<Vec<u8>>, Lost> {
        let (answer, answers) = channel();
        let exchange = Exchange {
            outgoing,
            lengths: lengths.to_vec(),
            answer,
        };
        let ordered = self.order(Order::Exchange(exchange));
        let answer = ordered.and_then(|()| answers.recv().unwrap_or(Err(Lost)));
        self.is_lost.fetch_or(answer.is_err(), Relaxed);
        answer
    }
}

/// Does what it is told, until there is nobody to tell it.
fn serve(world: &SimpleCommunicator, orders: &Receiver<Order>, wants_to_stop: fn() -> bool) {
    while let Ok(order) = orders.recv() {
        match order {
            Order::Abort(code) => world.abort(code),
            Order::Exchange(exchange) => exchange.make(world, orders, wants_to_stop),
        }
    }
}

impl Exchange {
    fn make(
        self,
        world: &SimpleCommunicator,
        orders: &Receiver<Order>,
        wants_to_stop: fn() -> bool,
    ) {
        let counts = |lengths: &mut dyn Iterator<Item = usize>| -> Vec<Count> {
            lengths.map(|length| length as Count).collect()
        };
        let going = counts(&mut self.outgoing.iter().map(Vec::len));
        let coming = counts(&mut self.lengths.iter().copied());
        // A byte more than is sent: where nothing is, the address of nothing is one that means
        // something else to MPI.
        let mut sent = Vec::with_capacity(self.outgoing.iter().map(Vec::len).sum::<usize>() + 1);
        for message in self.outgoing {
            sent.extend(message);
        }
        sent.push(0);
        let mut received = vec![0u8; self.lengths.iter().sum::<usize>() + 1];
        let sent = Partition::new(&sent[..], &going[..], starts(&going));
        let mut parts = PartitionMut::new(&mut received[..], &coming[..], starts(&coming));
        let began = Instant::now();
        let mut stopping: Option<Instant> = None;
        let mut is_given_up = false;
        mpi::request::scope(|scope| {
            let mut request = world.immediate_all_to_all_varcount_into(scope, &sent, &mut parts);
            while let Err(going_on) = request.test() {
                request = going_on;
                // Soon at first; then rarely, for others need the cores.
                match began.elapsed().as_micros() {
                    0..50 => std::hint::spin_loop(),
                    50..2000 => std::thread::sleep(Duration::from_micros(20)),
                    _ => std::thread::sleep(Duration::from_micros(200)),
                }
                if is_given_up {
                    if let Ok(Order::Abort(code)) = orders.try_recv() {
                        world.abort(code);
                    }
                } else if wants_to_stop() {
                    let since = *stopping.get_or_insert_with(Instant::now);
                    // The request can't be taken back, but nobody need wait for it.
                    is_given_up = since.elapsed() > PATIENCE;
                    if is_given_up {
                        let _ = self.answer.send(Err(Lost));
                    }
                }
            }
        });
        let mut rest = &received[..];
        let messages = self.lengths.iter().map(|&length| {
            let (message, after) = rest.split_at(length);
            rest = after;
            message.to_vec()
        });
        // Nobody may be waiting any more.
        let _ = self.answer.send(Ok(messages.collect()));
    }
}

/// Where each part begins if they lie one after another.
fn starts(counts: &[Count]) -> Vec<Count> {
    let mut end = 0;
    let starts = counts.iter().map(|count| {
        end += count;
        end - count
    });
    starts.collect()
}
