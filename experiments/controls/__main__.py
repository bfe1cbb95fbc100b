from experiments.controls.run import main

main()
