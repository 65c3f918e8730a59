"""How a climber decides and moves: the modules of Cenydd 2012 figure 3, as compiled kernels.

Each step goes one way: feel the feet (`limbs`), look ahead (`sense`), choose a velocity (`steer`),
watch every limb (`regulate`), let legs step by the rules of the gait (`gait`, `steps`), turn and
lift the body with its feet (`posture`), and solve the limbs (`limbs`). `fall` takes over while
fewer than half of the feet hold. `think` is the order of all that; `model` has the arrays.
"""
